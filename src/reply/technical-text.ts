/**
 * One form of technical text. If it is a list, its parts occur in this order, with anything between them. A list needs less time
 * than one expression with several gaps.
 */
type Form = RegExp | readonly RegExp[];

/*
 * The message comes from the operator and may be very long. So each expression needs a time that grows only linearly with the
 * message: repetitions are bounded, and `^` and `\s` never meet in a multi-line expression.
 */

/** Words that programs write for a missing value. With a name before them, they may be real words: "Active bonus: None". */
const NO_VALUE = /^(undefined|undef|null|none|nil|<nil>|nan|object \w+)?$/i;

const NO_TEXT: readonly Form[] = [/[:=] ?(undefined|null)[\s.!]*$/, /\[object Object\]|\bNaN\b|%![a-zA-Z]\(/];

/** HTML elements. A `<` before a number, an address or another word does not begin an element: `<min. 0.50>`. */
const MARKUP: readonly Form[] = [
  /<\/?(a|abbr|article|b|big|blockquote|body|br|button|center|code|div|em|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|label|li|link|main|meta|nav|ol|p|pre|s|script|section|small|span|strong|style|sub|sup|svg|table|tbody|td|th|thead|title|tr|u|ul)(\s[^<>]*)?\/?>|<!doctype\s/i,
];

const STACK_TRACE: readonly Form[] = [
  // Python
  /\bTraceback \(most recent call last\)|\bFile "[^"\n]{1,300}", line \d+/,
  // JavaScript
  /^[ \t]*at [^\n]{0,200}?(\.\w{1,5}|\bnode:[\w/]{1,100}):\d+:\d+/m,
  // Java and .NET
  /\bat [\w.$<>/]{1,300}\((\w{1,100}\.(java|kt|scala|groovy|clj):\d+|Native Method|Unknown Source)\)/,
  /^[ \t]*at [\w$]{1,100}\.[\w.$<>`]{0,200}\b[A-Z][\w$<>`]{0,100}\.[\w$<>`]{1,100}\(/m,
  /\.(cs|vb|fs):line \d+/,
  // Go and Rust
  /\bgoroutine \d+ \[|\bpanic: (runtime error|assignment|interface conversion|send on closed)|\bthread '[^'\n]{0,80}' panicked at/,
  // PHP and Perl
  /\.php(:\d+| on line \d+|\(\d+\))|^#\d+ \S{1,300}\(\d+\): |\bFatal error: Uncaught|\bPHP (Fatal|Parse) error|\bat \S{1,300}\.(pl|pm|cgi|t) line \d+/m,
  // The line of a file. Names that may also end an address (`casino.py:8080`) need a folder before them.
  /\.(rb|js|mjs|cjs|ts|go|java|kt|scala|cs|exs?|erl|lua|hs|swift|cpp|hpp|cxx|nim|adb|dart|tcl|lisp|rkt|scm|clj|groovy|zig):\d+\b|[/\\][\w.-]{1,100}\.(py|rs|pl|cr|d|c|h|cc|ml|fs|pas|jl|r):\d+\b/,
  // Nim, Dart and Tcl
  /\.nim\(\d+(, \d+)?\)|\bpackage:\w{1,80}\/[\w./]{1,200}\.dart\b|^[ \t]*\(?(while executing|invoked from within)[ \t]*$/m,
  /\bstack ?trace:/i,
];

const SOURCE_PATH: readonly Form[] = [
  /(^|[\s"'(:=])\/(srv|var|usr|home|opt|root|etc|tmp|app)\/[\w./@+-]{0,300}\.(js|mjs|cjs|ts|py|rb|go|java|kt|cs|rs|exs?|pl|pm|cpp|jar|dll|so|conf|ini|env|sock|db|sqlite)\b/,
  /(^|[\s"'(:=])\/(srv|var|usr|home|opt|root)\/[\w./@+-]{0,300}\.php\b/,
  /\b(node_modules|site-packages|dist-packages)\/|\b[A-Z]:\\[\w .-]{1,100}\\/,
];

const EXCEPTION: readonly Form[] = [
  // The names of exceptions, as most programming languages write them. The word `Exception` alone is not such a name.
  /\b[A-Z]\w{0,80}Exception\b/,
  /\b(Type|Reference|Syntax|Range|URI|Assertion|Aggregate|Axios|Fetch|Key|Value|Attribute|Index|Name|Lookup|Arithmetic|ZeroDivision|DivisionByZero|Overflow|Runtime|NotImplemented|Recursion|Memory|Import|ModuleNotFound|UnboundLocal|UnicodeDecode|UnicodeEncode|JSONDecode|OS|IO|Timeout|Connection|ConnectionRefused|ConnectionReset|BrokenPipe|Integrity|Operational|Programming|Database|Interface|NoMethod|Argument|ArgumentCount|Standard|Frozen|UnhandledMatch|Match|OutOfMemory|StackOverflow|NoClassDefFound|NoSuchMethod|NoSuchField|FunctionClause|CaseClause|Undefined|QueryFailed|EntityNotFound|PrismaClient\w{1,40}|Sequelize\w{0,40}|Sqlite|SQLite|Mongo\w{0,40}|ParseInt|ParseFloat)Error\b/,
  /\bUncaught (Error|exception)\b|\bUnhandledPromiseRejection|\bnested exception is\b|\bAn exception occurred while executing\b|\*\* \([\w.]{1,120}Error\)/,
  // JavaScript
  /\bCannot (read|set) propert(y|ies) |\bCannot destructure property|\b(undefined|null|object|\w\)) is not iterable\b|\w\.\w{1,80} is not a function\b|\bis not an object \(evaluating|\bUnexpected token .{1,40}(in JSON|is not valid JSON)|\b[Uu]nexpected end of JSON input\b|\bMaximum call stack size exceeded\b|\bCannot convert undefined or null to object\b|\bCannot mix BigInt\b|\bsocket hang up\b|\bgetaddrinfo\b/,
  /\bE(CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|NOTFOUND|PIPE|AI_AGAIN|ADDRINUSE|HOSTUNREACH|NETUNREACH|NOENT|ACCES|MFILE)\b/,
  // Java, Kotlin and Scala
  /\bCannot invoke "[^"\n]{1,300}" because\b|\bIndex -?\d+ out of bounds for length\b|\bFor input string: "|(^|: )\/ by zero\b|\bcould not execute (statement|query|batch)\b|\bcannot be cast to (class )?\w|\bCannot (deserialize|construct) (value|instance) of\b|\bJSON parse error\b|\bUnrecognized field "|\bNo enum constant\b|\blateinit property\b/,
  // .NET
  /\bObject reference not set to an instance\b|\bInput string was not in a correct format\b|\(Parameter '\w{1,80}'\)|\bParameter name: \w|\bSequence contains (no|more than one) |\bNullable object must have a value\b|\bSee the inner exception\b|\bThe given key .{0,80}was not present in the dictionary\b|\bUnable to cast object of type\b|\bIndex was outside the bounds of the array\b/,
  // Python
  /'NoneType' object|\bobject has no attribute '|\b(list|tuple|string) index out of range\b|\bdivision by zero\b|\bunsupported operand type|\bmissing \d+ required positional argument|\btakes \d+ positional argument|\bcould not convert string to float\b|\binvalid literal for int\(\)|\bis not JSON serializable\b|<class '|\bobject at 0x[0-9a-f]/i,
  // PHP
  /\bUndefined (index|offset|variable|property|array key|constant)\b|\bCall to (a member function|undefined (method|function))\b|\bTrying to (get property|access array offset)\b|\bArgument #\d+ .{0,80}must be (of|an)\b|\(\): Argument #\d{1,2} \(\$|\bAllowed memory size of \d+ bytes\b|\bMaximum execution time of \d+\b|\bA non-numeric value encountered\b|\bArray to string conversion\b/,
  // Ruby, Perl and Elixir
  /\bundefined (method|local variable or method) [`']|\bnil:NilClass\b|\bno implicit conversion of\b|\bcan't be coerced into\b|\bwrong number of arguments \(given\b|\buninitialized constant\b|\b(ActiveRecord|ActionController|ActionDispatch|ActiveModel|Sequel|Net|OpenSSL)::[A-Z]|\bCan't (call method|locate object method|use an undefined value)\b|\bUse of uninitialized value\b|\bno (function|case) clause matching\b|\{(badmatch|badarg|badarith|function_clause|case_clause|noproc),/,
  // Perl
  /\b(HASH|ARRAY|CODE|SCALAR|GLOB|REF)\(0x[0-9a-f]{1,16}\)|\bNot an? (HASH|ARRAY|CODE|SCALAR|GLOB) reference\b|\bisn't numeric in \w|\bWide character in (subroutine|print|\w{1,20}) |\bmalformed JSON string, neither\b|\bCan't locate \S{1,100} in @INC\b|\bModification of (non-creatable|a read-only)\b|\bMaketext error\b/,
  // Erlang and Elixir
  /#(PID|Reference|Port)<\d|#Ecto\.\w{1,40}<|\*\* \((EXIT|exit|throw)\b|\bGenServer\.call\(|\bgen_server,call\b|\{:(error|ok|exit|badmatch|timeout|noproc), |\bkey :\w{1,60} not found in: /,
  // Lua and Haskell
  /\battempt to (index|call|perform arithmetic on|compare|concatenate|get length of) (a |an |two |\w{1,10} '\w{1,60}' \(a )?(nil|boolean|table|number|string|function|userdata) values?\b|\bNon-exhaustive patterns in\b|\bCallStack \(from HasCallStack\)|\bPrelude\.\w{1,40}: |\bMaybe\.fromJust: /,
  // Crystal and Nim
  /\bNil assertion failed\b|\bCast from .{1,80} to .{1,80} failed\b|\bMissing hash key: |\bInvalid (U?Int(8|16|32|64|128)|Float(32|64)|BigDecimal|BigInt): |\bUnhandled exception: |\bunhandled exception: |\[(Key|Value|IO|OS)Error\]|\b(Field|Index|Range|Overflow|NilAccess|Assertion|DivByZero|OutOfMem)Defect\b|\bIllegal storage access\b|\bover- or underflow\b/,
  // Tcl
  /\bcan't read ".{1,80}": no such variable\b|\binvalid command name "|\bexpected (integer|floating-point number|boolean value) but got "|\bkey ".{1,80}" not known in dictionary\b|\bwrong # args: should be\b/,
  // Lisp, Scheme and Racket
  /\bThe value\s{1,40}\S{1,80}\s{1,40}is not of type\s{1,40}[A-Z]|\bThe (variable|function) \S{1,80} is (unbound|undefined)\b|#<(SB-|SIMPLE-|STANDARD-|HASH-TABLE|unspecified>|void>|procedure|undefined>)|\w: contract violation\b|\bno value found for key\b|\bIn procedure [\w!?*<>=:-]{1,60}[: ]|\bUnbound variable: |\bWrong type to apply: /,
  // Ada, Pascal and D
  /\b(CONSTRAINT|PROGRAM|STORAGE|TASKING)_ERROR\b|\bE(Convert|AccessViolation|DivByZero|IntOverflow|InvalidCast|InvalidOp|RangeError|Database|SQL)Error\b|\bEAccessViolation\b|" is (not a valid|an invalid) (integer|float|floating point)\b|\bRuntime error \d{1,4} at \$|\b(Range|Assert|Unicode|Utf)Error@|\bcore\.exception\.|\bstd\.(conv|json|exception)\.\w/,
  // C++
  /\bstd::\w{2,}|\bterminate called after throwing\b|\b_M_range_check\b|\bbasic_string::|^(stoi|stol|stoll|stod|stof|map::at)$|\[json\.exception\.|\bbad_(alloc|cast|variant_access|optional_access)\b/,
  // OCaml, F#, Dart, Swift and Julia
  /\bFailure\("|\bInvalid_argument\("|\bFatal error: exception\b|\bStdlib\.\w|\btype '\w{1,60}\??' is not a subtype of type\b|\bNull check operator used on a null value\b|\bunexpectedly found nil while unwrapping\b|\b(Method|Bounds)Error: /i,
  // Clojure
  /\bclojure\.(lang|core)[./]|\bNo matching clause: /,
  // Go and Rust
  /\bruntime error: |\bnil pointer dereference\b|\binterface conversion: |\bnil map\b|\bdial (tcp|udp|unix) |\b(read|write) tcp \d|\bcontext (deadline exceeded|canceled)\b|\bjson: (cannot|unknown|unsupported|invalid) |\bstrconv\.\w{1,40}: |\bunexpected EOF\b|\bi\/o timeout\b|\binvalid character .{1,12} (looking for|after|in) |\brpc error: code = |\bcalled `(Option|Result)::/,
];

const SQL: readonly Form[] = [
  // In capital letters the SQL words are enough, unless other words have capital letters too.
  [/\bSELECT\s/, /\sFROM\s+(?!(the|our|your|this|a)\b)["`[]?(?=\w{0,60}[a-z_])/],
  /\b(INSERT\s+INTO|DELETE\s+FROM)\s+["`[]?(?=\w{0,60}[a-z_])/,
  // In small letters, these words are not enough: "select a game from the list" is not SQL.
  [
    /\bselect\s/i,
    /\sfrom\s+(?!(the|our|your|this|a)\s)[\w.`"[\]]{1,100}(\s+\w{1,30})?\s+where\s+[\w.`"[\]]{1,100}\s*([=<>]|like\s|in\s*\()/i,
  ],
  /\bselect\s+(\*|count\(\S{1,40}\))\s+from\s/i,
  [/\binsert\s+into\s/i, /\bvalues\s*\(/i],
  /\bupdate\s+\S{1,100}\s+set\s+[\w.`"[\]]{1,100}\s*=|\bdelete\s+from\s+\S{1,100}\s+where\s/i,
];

const DATABASE_ERROR: readonly Form[] = [
  /\bSQLSTATE\b|\b(ORA|PLS|TNS)-\d{5}\b|\bSQLITE_[A-Z]{2,}|\b(psycopg|sqlalchemy|sqlite3|jdbc|hibernate)\w?[.:]\w|\b(postgres|postgresql|mysql|mongodb|redis|amqp|sqlserver)(\+\w{1,20})?:\/\/|\b(PG|Mysql2|SQLite3|DBI|DBD|Redis|Mongo)::\w/i,
  // PostgreSQL
  /\bsyntax error at or near\b|\bduplicate key value violates\b|\bviolates (unique|foreign key|check|not-null|exclusion) constraint\b|\b(relation|column|schema|sequence) "[^"\n]{1,80}" (does not exist|already exists|of relation)|\bcould not serialize access\b|\bdeadlock detected\b|\binvalid input syntax for\b|\bcurrent transaction is aborted\b|\bnumeric field overflow\b|\bauthentication failed for user "|\bremaining connection slots are reserved\b|\bnull value in column "|\bcanceling statement due to\b|\bvalue too long for type\b|\bpq: \w|\bsorry, too many clients already\b|\bserver closed the connection unexpectedly\b/i,
  // MySQL and MariaDB
  /\bYou have an error in your SQL\b|\bDuplicate entry '[^\n]{0,300}' for key\b|\bDeadlock found when trying to get lock\b|\bLock wait timeout exceeded\b|\bUnknown (column|database|table) '|\bTable '\w{1,80}\.\w{1,80}' doesn't exist|\bforeign key constraint fails\b|\b(Data too long|Out of range value) for column\b|\bAccess denied for user '|\b(MySQL|MariaDB) server\b|\bER_[A-Z]{2,}_/,
  // SQL Server
  /\bViolation of (PRIMARY|UNIQUE) KEY\b|\bCannot insert (duplicate key|the value NULL)\b|\bwas deadlocked on\b|\bInvalid (object|column) name '|\bIncorrect syntax near\b|\bArithmetic overflow error converting\b|\bString or binary data would be truncated\b|\bA network-related or instance-specific error\b|\bconflicted with the (CHECK|FOREIGN KEY|REFERENCE) constraint\b/,
  // SQLite
  /\b(UNIQUE|NOT NULL|CHECK|FOREIGN KEY|PRIMARY KEY) constraint failed\b|\bno such (table|column): [\w.]{1,80}$|\bSQL logic error\b|\bdatabase disk image is malformed\b|\battempt to write a readonly database\b|(^\W{0,20}|[:([] {0,3})database (table |schema )?is locked( \(\d{1,5}\))?\W{0,20}$/,
  // MongoDB, Redis, Go's database/sql
  /\bE11000\b|\bduplicate key error\b|\bWriteConflict\b|\bWRONGTYPE Operation\b|\bREADONLY You can't write\b|\bNOAUTH Authentication\b|\bMISCONF \w|\bsql: (no rows|database is closed|Scan error|transaction has|unsupported|expected \d)/,
];

/** Technical contents that no player should see in a message. The text beside each is the clause that reports use. */
const CONTENTS: readonly (readonly [readonly Form[], string])[] = [
  [NO_TEXT, 'contains no text'],
  [MARKUP, 'contains markup'],
  [STACK_TRACE, 'contains a stack trace'],
  [SQL, 'contains SQL'],
  [DATABASE_ERROR, 'contains a database error'],
  [EXCEPTION, 'contains an exception of the program'],
  [SOURCE_PATH, 'contains the path of a file on the server'],
];

/** Number of characters of a message that are looked at. A player never sees a longer message. */
const MAX_LENGTH = 4096;

/** Matches a link. The path and the query of a link may contain anything, so links are not searched for technical text. */
const LINK = /\b(https?:\/\/|www\.)[^\s<>"']+/gi;

/**
 * Returns the end of a sentence that says what is wrong with the text of an error message, such as `contains SQL` or `is empty`.
 * Returns undefined if players may see the message. Looks only at the first {@link MAX_LENGTH} characters.
 */
export function technicalTextIn(whole: string): string | undefined {
  if (/^[\s\p{Cf}\p{Cc}]*$/u.test(whole)) return 'is empty';
  const message = beginningOf(whole);
  if (NO_VALUE.test(message.replace(/[\s"'()[\]{}]+/g, ' ').trim())) return 'contains no text';
  const text = message.replace(LINK, 'link');
  return CONTENTS.find(([forms]) => forms.some((form) => contains(text, form)))?.[1];
}

/** The key of a text in a table of translations, such as `errors.bet.too_low`. Addresses such as `casino.example` look like this too. */
const KEY_OF_TEXT = /^(errors?|messages?|validation|exceptions?|wallet|bets?|wins?|refunds?|api)(\.\w{1,60}){1,8}$/i;

/** The texts with which libraries replace a translation that is missing. */
const MISSING_TRANSLATION = /^translation missing: |^missing translation\b|\bno lexicon entry for\b/i;

/** A placeholder that was not replaced by its value. */
const PLACEHOLDER = /%\{\w{1,60}\}|\$\{\w{1,60}\}|\{\{ ?\w{1,60} ?\}\}|\[% \w{1,60} %\]|^%s\b/;

/**
 * Returns the end of a sentence that says why a message is not the text that the operator meant, such as `is the key of a text`.
 * Returns undefined if it seems to be this text.
 */
export function unfinishedTextIn(whole: string): string | undefined {
  const message = whole.slice(0, MAX_LENGTH).trim();
  if (KEY_OF_TEXT.test(message)) return 'is the key of a text, and not the text';
  if (MISSING_TRANSLATION.test(message)) return 'says that a translation is missing';
  return PLACEHOLDER.test(message) ? 'contains a placeholder instead of a value' : undefined;
}

/** Returns the beginning of a long message, up to a space and with a sign that something follows. */
function beginningOf(message: string): string {
  if (message.length <= MAX_LENGTH) return message;
  const beginning = message.slice(0, MAX_LENGTH);
  const space = beginning.lastIndexOf(' ');
  return `${space > 0 ? beginning.slice(0, space) : beginning} …`;
}

function contains(text: string, form: Form): boolean {
  if (form instanceof RegExp) return form.test(text);
  let rest = text;
  for (const part of form) {
    const found = part.exec(rest);
    if (!found) return false;
    rest = rest.slice(found.index + found[0].length);
  }
  return true;
}
