import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { croupier } from '../../croupier.ts';

const FOLDER = 'fixtures/incidents';

/** The result of an incident, computed by hand from its log. */
interface Truth {
  /** The flags and the files. */
  readonly args: readonly string[];
  readonly status: 0 | 1 | 3;
  /** A part of the result. */
  readonly says: string;
}

function service(file: string, status: Truth['status'], says: string): Truth {
  return { args: ['--service', file], status, says };
}

function both(ofService: string, ofOperator: string, status: Truth['status'], says: string): Truth {
  return { args: ['--service', ofService, '--operator', ofOperator], status, says };
}

function operator(file: string, status: Truth['status'], says: string): Truth {
  return { args: ['--operator', file], status, says };
}

const TRUTHS: readonly Truth[] = [
  // The operator missed the deadline once, but the refund put everything right.
  service('axios-timeout-refund.ndjson', 1, 'should have 100.00, and the operator said 100.00'),
  // The pause is long enough for a round that is not in the log, so the bet was not certainly taken.
  operator('logback-503-taken.log', 3, 'was declined with 503, but was taken'),
  operator('serilog-refund-twice.clef', 1, 'should have 80.00, and the operator said 87.00'),
  operator('laravel-win-twice.log', 1, 'should have 31.00, and the operator said 43.00'),
  service('structlog-win-refused.ndjson', 1, 'should have 80.00, and the operator said 55.00'),
  service('zap-two-pods.ndjson', 0, 'should have 38.00, and the operator said 38.00'),
  service('okhttp-win-reset-retried.log', 0, 'should have 12.00, and the operator said 12.00'),
  operator('fastify-deposit.ndjson', 3, 'the balance changed by +50.00 to 50.00, and no call in the logs explains it'),
  operator('nginx-two-players.ndjson', 1, 'session sB should have 36.00, and the operator said 27.00'),
  operator('winston-masked-sessions.ndjson', 0, 'P-20 should have 525.00, and the operator said 525.00'),
  operator('fastify-cut-last-line.ndjson', 3, '1 line that may be a call could not be read'),
  operator('docker-doubled.ndjson', 0, 'should have 77.00, and the operator said 77.00'),
  operator('kibana-win-unpaid.csv', 1, 'should have 99.00, and the operator said 81.00'),
  operator('log4j-whole-seconds.log', 0, 'should have 11.00, and the operator said 11.00'),
  operator('nlog-german-bet-twice.log', 1, 'should have 175.00, and the operator said 150.00'),
  // The bet did not reach the operator, so no money is owed. But a refund must be answered 200.
  service('refund-404.ndjson.gz', 1, 'should have 64.00, and the operator said 64.00'),
  operator('rotated.zip', 0, 'should have 48.00, and the operator said 48.00'),
  service('hundred-times.har', 1, 'should have 997.70, and the operator said 770.00'),
  service('postman-declined-taken.json', 1, 'should have 30.00, and the operator said 18.00'),
  service('curl-refund-unpaid.txt', 1, 'should have 100.00, and the operator said 60.00'),
  // The calls have no signature, so the operator should have answered 401.
  service('powershell-here-string.txt', 1, 'should have 12.00, and the operator said 12.00'),
  service('gcp-late-bet-refund-unpaid.json', 1, 'should have 77.00, and the operator said 70.00'),
  operator('datadog-right.csv', 0, 'should have 6.00, and the operator said 6.00'),
  operator('alb-no-bodies.log', 3, 'because their bodies were not logged'),
  service('python-win-after-declined.log', 1, 'The service is at fault'),
  // Both logs have the same calls, so the refund is missing, and not only the line of it.
  both('both-service.ndjson', 'both-operator.ndjson', 1, 'should have 25.00, and the operator said 20.00'),
  operator('rails.log', 3, 'the logs have no reply with a usable balance'),
  // The balances show that the log is in the order of time.
  {
    args: ['--operator', 'slog-doubled-hour.log', '--zone', 'Europe/Berlin'],
    status: 0,
    says: 'should have 52.00, and the operator said 52.00',
  },
  service('feign-504-taken.log', 3, 'was declined with 504, but was taken'),
  // The text of the error has the number 111, which is no status.
  service('structlog-errno-refunded.log', 0, 'should have 46.70, and the operator said 46.70'),
  service('winston-time-out-refunded.log', 1, 'should have 46.70, and the operator said 46.70'),
  service('slog-reset-refund-refused.ndjson', 1, 'should have 46.70, and the operator said 39.35'),
  operator('curl-verbose-bet-twice.txt', 1, 'should have 34.10, and the operator said 26.75'),
  operator('apache-vhost-win-twice.log', 1, 'should have 52.85, and the operator said 64.85'),
  operator('kibana-cut-row.csv', 3, '1 line that may be a call could not be read'),
  both(
    'gateway-service.ndjson',
    'gateway-operator.clef',
    1,
    'was answered 502, so the service counts it as declined, but the operator took its amount',
  ),
  // Something between the two sides answered the bet with 403. The clocks are 1.5 s apart.
  both('firewall-service.log', 'firewall-operator.ndjson', 1, 'should have 49.00, and the operator said 45.00'),
  // The log of the service ends within the second round.
  both('cut-logback-service.log', 'cut-zerolog-operator.ndjson', 3, 'Possible, but not certain: the bet of 5.00'),
  // The log of the operator lacks the balance and the bet.
  both('late-gcp-service.json', 'late-structlog-operator.ndjson', 1, 'should have 55.00, and the operator said 46.00'),
  both(
    'balances-pino-service.ndjson',
    'balances-kibana-operator.csv',
    3,
    'is 55.00 in the log of the service and 54.00 in the log of the operator',
  ),
  both('twice-structlog-service.log', 'twice-nlog-operator.log', 1, 'should have 55.00, and the operator said 64.00'),
  operator('haproxy-bet-twice.log', 1, 'should have 34.10, and the operator said 26.75'),
  service('zap-one-id-two-amounts.ndjson', 1, 'and the operator took both 7.35 and 9.00'),
  // No balance before the first bet shows how the operator booked it.
  operator('monolog-begins-late.log', 0, 'so nothing is owed since 2026-10-14 18:42:07 UTC'),
  operator('serilog-json-win-unpaid.ndjson', 1, 'should have 97.50, and the operator said 85.00'),
  operator('ecs-dotted-refund-twice.ndjson', 1, 'should have 90.00, and the operator said 95.00'),
  {
    args: ['--operator', 'bunyan-two-players-bet-twice.ndjson', '--player', 'B'],
    status: 1,
    says: 'B should have 8.00, and the operator said 7.00',
  },
  operator('zerolog-jpy-409-then-200.log', 0, 'should have 1500 JPY, and the operator said 1500 JPY'),
];

describe('the result of an incident whose money was computed by hand', () => {
  it.each(TRUTHS)('is right, or says what is not known: $args', async ({ args, status, says }) => {
    const result = await croupier(['incident', ...args], { cwd: FOLDER });
    expect([result.status, result.out]).toEqual([status, expect.stringContaining(says)]);
  });

  it('is tested for each log', () => {
    expect(TRUTHS.flatMap(({ args }) => args.filter((arg) => /\.\w+$/.test(arg))).toSorted()).toEqual(
      readdirSync(FOLDER).toSorted(),
    );
  });
});
