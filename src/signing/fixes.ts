/** The programming languages for which there are code examples. */
export const LANGUAGES = ['node', 'python', 'php', 'go', 'java', 'dotnet', 'ruby'] as const;

export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  node: 'Node',
  python: 'Python',
  php: 'PHP',
  go: 'Go',
  java: 'Java',
  dotnet: '.NET',
  ruby: 'Ruby',
};

/** The parts of the operator's signing code that may need a fix. */
export type FixId = 'raw-body' | 'core-api' | 'query' | 'key' | 'key-text' | 'hmac' | 'writing';

type Lines = Readonly<Record<Language, string>>;

const HMAC: Lines = {
  node: "createHmac('sha256', key).update(payload).digest('hex')",
  python: 'hmac.new(key.encode(), payload, hashlib.sha256).hexdigest()',
  php: "hash_hmac('sha256', $payload, $key)",
  go: 'mac := hmac.New(sha256.New, []byte(key)); mac.Write(payload); sign := hex.EncodeToString(mac.Sum(nil))',
  java: 'new HmacUtils(HmacAlgorithms.HMAC_SHA_256, key).hmacHex(payload)',
  dotnet: 'Convert.ToHexStringLower(HMACSHA256.HashData(Encoding.UTF8.GetBytes(key), payload))',
  ruby: "OpenSSL::HMAC.hexdigest('SHA256', key, payload)",
};

/**
 * One line of example code for each fix and each language. `key`, `payload` and `query` stand for the operator's own
 * names.
 */
export const FIXES: Readonly<Record<FixId, Lines>> = {
  'raw-body': {
    node: "app.use(express.raw({ type: '*/*' })); createHmac('sha256', key).update(req.body).digest('hex')",
    python: 'hmac.new(key.encode(), request.get_data(), hashlib.sha256).hexdigest()  # Flask; Django: request.body',
    php: "hash_hmac('sha256', file_get_contents('php://input'), $key)",
    go: 'body, err := io.ReadAll(r.Body) // before any json.Decode; then mac.Write(body)',
    java: 'new HmacUtils(HmacAlgorithms.HMAC_SHA_256, key).hmacHex(request.getInputStream().readAllBytes())',
    dotnet: 'HMACSHA256.HashData(keyBytes, rawBody) // Request.EnableBuffering(), then copy Request.Body to rawBody',
    ruby: "OpenSSL::HMAC.hexdigest('SHA256', key, request.body.read) # Rack, Sinatra; Rails: request.raw_post",
  },
  'core-api': {
    node: "import canonicalize from 'canonicalize'; createHmac('sha256', apiKey).update(canonicalize(body)).digest('hex')",
    python: "payload = json.dumps(body, sort_keys=True, separators=(',', ':'), ensure_ascii=False).encode()",
    php: 'ksort($body, SORT_STRING); $payload = json_encode($body, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS); // inner objects too',
    go: 'enc := json.NewEncoder(&buf); enc.SetEscapeHTML(false); enc.Encode(asMap); payload := bytes.TrimRight(buf.Bytes(), "\\n")',
    java: 'new ObjectMapper().configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true).writeValueAsBytes(asMap)',
    dotnet:
      '// a SortedDictionary with StringComparer.Ordinal at every level, and JavaScriptEncoder.UnsafeRelaxedJsonEscaping',
    ruby: 'payload = JSON.generate(body.sort.to_h) # inner hashes sorted too',
  },
  query: {
    node: 'JSON.stringify(Object.fromEntries([...new URLSearchParams(query)].sort(([a], [b]) => (a < b ? -1 : 1))))',
    python:
      "json.dumps(dict(parse_qsl(query, keep_blank_values=True)), sort_keys=True, separators=(',', ':'), ensure_ascii=False)",
    php: 'parse_str($query, $p); ksort($p, SORT_STRING); json_encode($p, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS)',
    go: 'm := map[string]string{}; for k := range r.URL.Query() { m[k] = r.URL.Query().Get(k) }; enc.SetEscapeHTML(false); enc.Encode(m) // then cut the newline',
    java: 'new ObjectMapper().writeValueAsString(new TreeMap<>(decodedParameters))',
    dotnet:
      'JsonSerializer.Serialize(new SortedDictionary<string, string>(query, StringComparer.Ordinal), new JsonSerializerOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping })',
    ruby: 'JSON.generate(URI.decode_www_form(query).sort.to_h)',
  },
  key: {
    node: "import { env } from 'node:process'; const key = env.INTEGRATION_API_KEY",
    python: 'key = os.environ["INTEGRATION_API_KEY"]',
    php: "$key = getenv('INTEGRATION_API_KEY');",
    go: 'key := os.Getenv("INTEGRATION_API_KEY")',
    java: 'String key = System.getenv("INTEGRATION_API_KEY");',
    dotnet: 'var key = Environment.GetEnvironmentVariable("INTEGRATION_API_KEY");',
    ruby: "key = ENV.fetch('INTEGRATION_API_KEY')",
  },
  'key-text': {
    node: "createHmac('sha256', key.trim()) // the text of the key as it is, not decoded",
    python: 'hmac.new(key.strip().encode("utf-8"), payload, hashlib.sha256).hexdigest()  # the text, not decoded',
    php: "hash_hmac('sha256', $payload, trim($key)); // the text of the key, not decoded",
    go: 'hmac.New(sha256.New, []byte(strings.TrimSpace(key))) // the text of the key, not decoded',
    java: 'new SecretKeySpec(key.strip().getBytes(StandardCharsets.UTF_8), "HmacSHA256") // not decoded',
    dotnet: 'new HMACSHA256(Encoding.UTF8.GetBytes(key.Trim())) // the text of the key, not decoded',
    ruby: "OpenSSL::HMAC.hexdigest('SHA256', key.strip, payload) # the text of the key, not decoded",
  },
  hmac: HMAC,
  writing: HMAC,
};
