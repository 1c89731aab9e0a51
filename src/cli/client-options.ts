import { type Command, Option } from 'commander';
import { collect, countFlag, durationFlag, versionFlag } from './flag-values.ts';
import { SETTINGS } from './help-page.ts';

function setting(flags: string, description: string): Option {
  return new Option(flags, description).helpGroup(SETTINGS);
}

/** Where the configuration lies: the same at every command that reads it. */
export function configOption(): Option {
  return setting('--config <file>', 'configuration (default: ./croupier.yaml)').env('CROUPIER_CONFIG');
}

/** The flags that say which client is called, and how it is reached: the same at every command that calls an operator. */
export function addClientOptions(command: Command): Command {
  return addReachOptions(
    addChoiceOptions(command)
      .addOption(setting('--base-url <url>', "the operator's base URL for reverse calls").env('CROUPIER_BASE_URL'))
      .addOption(setting('--ext-cid <id>', "the client's ExtCID").env('CROUPIER_EXT_CID')),
  );
}

/** The flags that choose clients of the configuration. */
export function addChoiceOptions(command: Command): Command {
  return command
    .addOption(configOption())
    .addOption(
      setting('--client <extCID>', 'only this client of the configuration; repeatable')
        .argParser(collect)
        .env('CROUPIER_CLIENT'),
    );
}

/** The flags that say how an operator is reached, and with what. */
export function addReachOptions(command: Command): Command {
  return command
    .addOption(
      setting('--session <session>', 'ID, or ID,player=p1,currency=USD,game=catch,state=expired; repeatable')
        .argParser(collect)
        .env('CROUPIER_SESSION'),
    )
    .addOption(
      setting('--key-file <file>', 'the Integration API key (- for stdin); or set CROUPIER_KEY').env(
        'CROUPIER_KEY_FILE',
      ),
    )
    .addOption(setting('--ca <file>', 'trust this certificate authority too (PEM)').env('CROUPIER_CA'))
    .addOption(setting('--insecure', 'do not check the TLS certificate'))
    .addOption(setting('--proxy <url>', 'send every call through this proxy').env('CROUPIER_PROXY'))
    .addOption(setting('--print-config', 'print each setting and where it came from, and send nothing'));
}

/** The consent that every command needs that moves money where real players' may be. */
export function productionOption(): Option {
  return setting('--production', 'move money though this looks like production');
}

/** How long is waited for a reply. */
export function deadlineOption(): Option {
  return setting('--deadline <duration>', 'how long a reply may take (default: 5s)')
    .argParser(durationFlag)
    .env('CROUPIER_DEADLINE');
}

/** How long is waited for a reply, and for what may show after it. */
export function addWaitOptions(command: Command): Command {
  return command
    .addOption(deadlineOption())
    .addOption(
      setting('--linger <duration>', 'after how long a late debit would have shown (default: 2s)')
        .argParser(durationFlag)
        .env('CROUPIER_LINGER'),
    );
}

/** What bets take. */
export function stakeOption(): Option {
  return setting('--stake <CUR=amount>', 'the stake for a currency, as USD=1.00; repeatable').argParser(collect);
}

/** What a run sends, and how much at once. */
export function addPlayOptions(command: Command): Command {
  return command
    .addOption(stakeOption())
    .addOption(setting('--campaign <frID>', 'a free-rounds campaign that the operator knows').env('CROUPIER_CAMPAIGN'))
    .addOption(
      setting('--workers <n>', 'so much side by side, one per player at most')
        .argParser(countFlag)
        .env('CROUPIER_WORKERS'),
    );
}

/** What only `run` can be told of that croupier.yaml knows. */
function addJudgedOptions(command: Command): Command {
  return command
    .addOption(
      setting('--contract <version>', 'what the integration was made by (default: the latest)')
        .argParser(versionFlag)
        .env('CROUPIER_CONTRACT'),
    )
    .addOption(setting('--large-amounts', 'also move amounts beyond 2^53 of the smallest unit'))
    .addOption(setting('--core-api-port <port>', 'where --launches waits for them (default: any)'))
    .addOption(setting('--launch-wait <duration>', 'for how long (default: 5m)').argParser(durationFlag));
}

/** Every flag that croupier.yaml or the environment can stand in for. */
export function addSettings(command: Command): Command {
  return addJudgedOptions(addPlayOptions(addWaitOptions(addClientOptions(command).addOption(productionOption()))));
}
