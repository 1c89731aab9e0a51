import { type Command, Option } from 'commander';
import { collect, durationFlag } from './flag-values.ts';

/** Where the configuration lies: the same at every command that reads it. */
export function configOption(): Option {
  return new Option('--config <file>', 'configuration (default: ./croupier.yaml)').env('CROUPIER_CONFIG');
}

/** The flags that say which client is called, and how it is reached: the same at every command that calls an operator. */
export function addClientOptions(command: Command): Command {
  return addReachOptions(
    addChoiceOptions(command)
      .addOption(new Option('--base-url <url>', "the operator's base URL for reverse calls").env('CROUPIER_BASE_URL'))
      .addOption(new Option('--ext-cid <id>', "the client's ExtCID").env('CROUPIER_EXT_CID')),
  );
}

/** The flags that choose clients of the configuration. */
export function addChoiceOptions(command: Command): Command {
  return command
    .addOption(configOption())
    .addOption(
      new Option('--client <extCID>', 'only this client of the configuration; repeatable')
        .argParser(collect)
        .env('CROUPIER_CLIENT'),
    );
}

/** The flags that say how an operator is reached, and with what. */
export function addReachOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--session <session>', 'ID, or ID,player=p1,currency=USD,game=catch,state=expired; repeatable')
        .argParser(collect)
        .env('CROUPIER_SESSION'),
    )
    .addOption(
      new Option('--key-file <file>', 'the Integration API key (- for stdin); or set CROUPIER_KEY').env(
        'CROUPIER_KEY_FILE',
      ),
    )
    .addOption(new Option('--ca <file>', 'trust this certificate authority too (PEM)').env('CROUPIER_CA'))
    .option('--insecure', 'do not check the TLS certificate (env: CROUPIER_INSECURE=1)')
    .addOption(new Option('--proxy <url>', 'send every call through this proxy').env('CROUPIER_PROXY'))
    .option('--print-config', 'print each setting and where it came from, and send nothing');
}

/** The consent that every command needs that moves money where real players' may be. */
export function productionOption(): Option {
  return new Option('--production', 'move money though this looks like production (env: CROUPIER_PRODUCTION=1)');
}

/** How long is waited for a reply, and for what may show after it. */
export function addWaitOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--deadline <duration>', 'how long a reply may take (default: 5s)')
        .argParser(durationFlag)
        .env('CROUPIER_DEADLINE'),
    )
    .addOption(
      new Option('--linger <duration>', 'after how long a late debit would have shown (default: 2s)')
        .argParser(durationFlag)
        .env('CROUPIER_LINGER'),
    );
}
