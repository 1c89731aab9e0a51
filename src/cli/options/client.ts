import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { LOCK_WAIT } from '../../app/lock/lock-folder.ts';
import { REPLY_DEADLINE_SECONDS } from '../../contract/limits.ts';
import { SETTINGS } from '../help.ts';
import { collect, countFlag, curlOption, durationFlag, rateFlag, versionFlag } from './parts.ts';

function setting<Flags extends string>(flags: Flags, description: string): Option<Flags> {
  return new Option(flags, description).helpGroup(SETTINGS);
}

/** Returns the flag for the configuration file, for every command that reads one. */
export function configOption() {
  return setting('--config <file>', 'configuration file (default: ./croupier.yaml)').env('CROUPIER_CONFIG');
}

/** Adds the flags that choose a client and define its connection, for every command that calls an operator. */
export function addClientOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return addReachOptions(addAddressOptions(command));
}

/** Adds the flags of a client and its connection for a command in which `--session` selects recorded calls. */
export function addTestClientOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return addConnectionOptions(addAddressOptions(command).addOption(sessionOption('--test-session <session>')));
}

function addAddressOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return addChoiceOptions(command)
    .addOption(setting('--base-url <url>', "the operator's base URL for reverse calls").env('CROUPIER_BASE_URL'))
    .addOption(setting('--ext-cid <id>', "the client's ExtCID").env('CROUPIER_EXT_CID'));
}

/** Returns the flag for a session, under the given name. */
export function sessionOption<Flags extends string>(flags: Flags) {
  return setting(flags, 'a session, as ID or as ID,player=p1,currency=USD,game=catch,state=expired; repeatable')
    .argParser(collect)
    .env('CROUPIER_SESSION');
}

/** Adds the flags that choose clients of the configuration. */
export function addChoiceOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return command
    .addOption(configOption())
    .addOption(
      setting('--client <extCID>', 'only this client of the configuration; repeatable')
        .argParser(collect)
        .env('CROUPIER_CLIENT'),
    );
}

/** Adds the flags that define the connection to an operator, its sessions and its key. */
export function addReachOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return addConnectionOptions(command.addOption(sessionOption('--session <session>')));
}

function addConnectionOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return command
    .addOption(
      setting('--key-file <file>', 'file with the key (- for stdin), or set CROUPIER_KEY').env('CROUPIER_KEY_FILE'),
    )
    .addOption(setting('--ca <file>', 'also trust this certificate authority (PEM file)').env('CROUPIER_CA'))
    .addOption(setting('--insecure', 'do not check the TLS certificate'))
    .addOption(setting('--proxy <url>', 'send every call through this proxy').env('CROUPIER_PROXY'))
    .addOption(setting('--print-config', 'print each setting and its source, and send nothing'));
}

/** Returns the flag that allows a command to move money at an address that looks like production. */
export function productionOption() {
  return setting('--production', 'move money at an address that looks like production');
}

/**
 * Adds the flags that say what happens if another command is using the same players. Every command that moves money has these
 * flags.
 */
export function addLockOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return command
    .addOption(
      setting('--lock-wait <duration>', `time to wait for players in use (default: ${LOCK_WAIT})`)
        .argParser(durationFlag)
        .env('CROUPIER_LOCK_WAIT'),
    )
    .addOption(
      setting('--lock-folder <folder>', 'folder of the lock files, for several machines').env('CROUPIER_LOCK_FOLDER'),
    )
    .addOption(setting('--no-lock', 'use the players even if another command uses them'));
}

/** Returns the flag that keeps a run out of the history, for every command that adds to it. */
export function historyOption() {
  return setting('--no-history', 'do not add the run to the history of this folder');
}

/** Returns the flag that adds a `traceparent` header to every call, for every command that judges calls. */
export function traceOption() {
  return setting('--trace', 'give each call a trace (a traceparent header)');
}

/** Returns the flag for the maximum time of a reply. */
export function deadlineOption() {
  return setting('--deadline <duration>', `maximum time for a reply (default: ${REPLY_DEADLINE_SECONDS}s)`)
    .argParser(durationFlag)
    .env('CROUPIER_DEADLINE');
}

/** Adds the flags for the maximum time of a reply and for the time to wait for a late debit. */
export function addWaitOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return command
    .addOption(deadlineOption())
    .addOption(
      setting('--linger <duration>', 'time to wait for a late debit (default: 2s)')
        .argParser(durationFlag)
        .env('CROUPIER_LINGER'),
    );
}

/** Returns the flag for the amount of a bet, by currency. */
export function stakeOption() {
  return setting('--stake <CUR=amount>', 'stake of a currency, as USD=1.00; repeatable').argParser(collect);
}

/** Returns the flag for the number of decimals, by currency. */
export function decimalsOption() {
  return setting('--decimals <CUR=n>', 'decimals of a currency, such as USDT=6; repeatable').argParser(collect);
}

/** Adds the flags for stakes, campaign and workers of a run or a search. */
export function addPlayOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return command
    .addOption(stakeOption())
    .addOption(decimalsOption())
    .addOption(setting('--campaign <frID>', 'a free-rounds campaign that the operator knows').env('CROUPIER_CAMPAIGN'))
    .addOption(
      setting('--workers <n>', 'scenarios in parallel (at most one per player)')
        .argParser(countFlag)
        .env('CROUPIER_WORKERS'),
    )
    .addOption(rateOption());
}

/** Returns the flag for the maximum number of calls per second. */
export function rateOption() {
  return setting('--rate <n>', 'maximum calls per second (default: no limit)').argParser(rateFlag).env('CROUPIER_RATE');
}

/** Adds every flag that croupier.yaml or the environment can replace. */
export function addSettings<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return addLockOptions(addPlayOptions(addWaitOptions(addClientOptions(command).addOption(productionOption()))))
    .addOption(
      setting('--contract <version>', 'version of the contract (default: the latest)')
        .argParser(versionFlag)
        .env('CROUPIER_CONTRACT'),
    )
    .addOption(setting('--large-amounts', 'also test amounts over 2^53 times the smallest unit'))
    .addOption(setting('--core-api-port <port>', 'port of the Core API for --launches (default: any)'))
    .addOption(setting('--core-api-host <address>', 'address of the Core API (default: 127.0.0.1)'))
    .addOption(setting('--core-api-url <url>', 'URL of the Core API for backends and players'))
    .addOption(setting('--launch-wait <duration>', 'time to wait for launches (default: 5m)').argParser(durationFlag))
    .addOption(setting('--require <rules>', 'rules or groups that must be decided; repeatable').argParser(collect))
    .addOption(
      setting('--label <name=text>', 'label for the reports, such as build=1.2; repeatable')
        .argParser(collect)
        .env('CROUPIER_LABEL'),
    )
    .addOption(curlOption().helpGroup(SETTINGS))
    .addOption(historyOption())
    .addOption(traceOption())
    .addOption(setting('--otlp <url>', 'send the run as spans to this collector').env('OTEL_EXPORTER_OTLP_ENDPOINT'));
}
