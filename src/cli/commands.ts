import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Stdio } from '../app/stdio.ts';
import { describeCall } from './commands/call/flags.ts';
import { describeCapsule } from './commands/capsule/flags.ts';
import { describeClean } from './commands/clean/flags.ts';
import { describeCompletion } from './commands/completion/flags.ts';
import { describeDoctor } from './commands/doctor/flags.ts';
import { describeExplore } from './commands/explore/flags.ts';
import {
  describeFleet,
  describeFleetBoard,
  describeFleetCheck,
  describeFleetRun,
  describeFleetStatus,
  describeFleetWork,
} from './commands/fleet/flags.ts';
import { describeHelp } from './commands/help/flags.ts';
import { helpCommand, topicLines } from './commands/help/pages.ts';
import {
  describeHistory,
  describeHistoryDiff,
  describeHistoryList,
  describeHistoryOpen,
  describeHistoryPin,
  describeHistoryRule,
  describeHistoryUnpin,
} from './commands/history/flags.ts';
import { describeIncident } from './commands/incident/flags.ts';
import { describeInit } from './commands/init/flags.ts';
import { describeLaunch } from './commands/launch/flags.ts';
import { describeLicenses } from './commands/licenses/flags.ts';
import { describeLint } from './commands/lint/flags.ts';
import { describeList } from './commands/list/flags.ts';
import { describeLoad } from './commands/load/flags.ts';
import { describeProxy } from './commands/proxy/flags.ts';
import { describeReplay } from './commands/replay/flags.ts';
import { describeConvert, describeDiff, describeMerge, describeReport } from './commands/report/flags.ts';
import { describeRun } from './commands/run/flags.ts';
import { describeSchema } from './commands/schema/flags.ts';
import { describeSelftest } from './commands/selftest/flags.ts';
import {
  describeServe,
  describeServeAll,
  describeServeCoreApi,
  describeServeOperator,
} from './commands/serve/flags.ts';
import { describeSettle } from './commands/settle/flags.ts';
import { describeExplain, describeSign, describeVerify } from './commands/signing/flags.ts';
import { misspeltVariables } from './environment.ts';

type Done = (status: number) => void;

/**
 * Adds every command to the program. The code of a command is imported only when the command runs.
 *
 * @param done receives the exit status of the command
 */
export function addCommands(program: CommandUnknownOpts, stdio: Stdio, done: Done): void {
  program.hook('preAction', async (_, command) => {
    for (const warning of misspeltVariables(program, stdio.env)) stdio.err.write(`${warning}\n`);
    if (command.opts().printConfig !== true) return;
    const { printConfig } = await import('./print-config.ts');
    await printConfig(command, stdio);
    // --print-config replaces the command, so this error, with status 0, stops commander before the command runs.
    throw new CommanderError(0, 'croupier.printConfig', '');
  });
  program.commandsGroup('Judge an operator:');
  addJudging(program, stdio, done);
  program.commandsGroup('Examine a call or an incident:');
  addSigning(program, stdio, done);
  addIncidents(program, stdio, done);
  program.commandsGroup('Develop an operator:');
  addServers(program, stdio, done);
  program.commandsGroup('Look up and check:');
  addLookups(program, stdio, done);
  program.addHelpText(
    'after',
    `
Examples:
  croupier run --reference     a whole run, without an operator
  croupier init                write a configuration, then: croupier run
${topicLines('  croupier help ')}`,
  );
}

function addJudging(program: CommandUnknownOpts, stdio: Stdio, done: Done): void {
  describeInit(program).action(async (flags) => {
    const { initCommand } = await import('./commands/init/action.ts');
    done(await initCommand(flags, stdio));
  });
  describeDoctor(program).action(async (flags) => {
    const { doctorCommand } = await import('./commands/doctor/action.ts');
    done(await doctorCommand(flags, stdio));
  });
  describeRun(program).action(async (selection, flags) => {
    const { runCommand } = await import('./commands/run/action.ts');
    done(await runCommand(selection, flags, stdio));
  });
  describeExplore(program).action(async (flags) => {
    const { exploreCommand } = await import('./commands/explore/action.ts');
    done(await exploreCommand(flags, stdio));
  });
  describeLoad(program).action(async (flags) => {
    const { loadCommand } = await import('./commands/load/action.ts');
    done(await loadCommand(flags, stdio));
  });
  describeSettle(program).action(async (journal, flags) => {
    const { settleCommand } = await import('./commands/settle/action.ts');
    done(await settleCommand(journal, flags, stdio));
  });
  describeClean(program).action(async (flags) => {
    const { cleanCommand } = await import('./commands/clean/action.ts');
    done(await cleanCommand(flags, stdio));
  });
  const fleet = describeFleet(program);
  describeFleetCheck(fleet).action(async (flags) => {
    const { fleetCheckCommand } = await import('./commands/fleet/check.ts');
    done(await fleetCheckCommand(flags, stdio));
  });
  describeFleetStatus(fleet).action(async (flags) => {
    const { fleetStatusCommand } = await import('./commands/fleet/status.ts');
    done(await fleetStatusCommand(flags, stdio));
  });
  describeFleetBoard(fleet).action(async (flags) => {
    const { fleetBoardCommand } = await import('./commands/fleet/board.ts');
    done(await fleetBoardCommand(flags, stdio));
  });
  describeFleetRun(fleet).action(async (names, flags) => {
    const { fleetRunCommand } = await import('./commands/fleet/run.ts');
    done(await fleetRunCommand(names, flags, stdio));
  });
  describeFleetWork(fleet).action(async (flags) => {
    const { fleetWorkCommand } = await import('./commands/fleet/work.ts');
    done(await fleetWorkCommand(flags, stdio));
  });
  addHistory(program, stdio, done);
  const report = describeReport(program);
  describeConvert(report).action(async (journal, flags) => {
    const { convertCommand } = await import('./commands/report/convert.ts');
    done(await convertCommand(journal, flags, stdio));
  });
  describeMerge(report).action(async (journals, flags) => {
    const { mergeCommand } = await import('./commands/report/merge.ts');
    done(await mergeCommand(journals, flags, stdio));
  });
  describeDiff(report).action(async (before, now, flags) => {
    const { diffCommand } = await import('./commands/report/diff.ts');
    done(await diffCommand(before, now, flags, stdio));
  });
}

function addHistory(program: CommandUnknownOpts, stdio: Stdio, done: Done): void {
  const history = describeHistory(program);
  describeHistoryList(history).action(async (flags) => {
    const { listCommand } = await import('./commands/history/action.ts');
    done(await listCommand(flags, stdio));
  });
  describeHistoryRule(history).action(async (rule, flags) => {
    const { ruleCommand } = await import('./commands/history/action.ts');
    done(await ruleCommand(rule, flags, stdio));
  });
  describeHistoryOpen(history).action(async (run, flags) => {
    const { openCommand } = await import('./commands/history/action.ts');
    done(await openCommand(run, flags, stdio));
  });
  describeHistoryDiff(history).action(async (before, now, flags) => {
    const { diffCommand } = await import('./commands/history/action.ts');
    done(await diffCommand(before, now, flags, stdio));
  });
  describeHistoryPin(history).action(async (run) => {
    const { pinCommand } = await import('./commands/history/action.ts');
    done(await pinCommand(run, true, stdio));
  });
  describeHistoryUnpin(history).action(async (run) => {
    const { pinCommand } = await import('./commands/history/action.ts');
    done(await pinCommand(run, false, stdio));
  });
}

function addSigning(program: CommandUnknownOpts, stdio: Stdio, done: Done): void {
  describeCall(program).action(async (call, flags) => {
    const { callCommand } = await import('./commands/call/action.ts');
    done(await callCommand(call, flags, stdio));
  });
  describeSign(program).action(async (text, flags) => {
    const { signCommand } = await import('./commands/signing/sign.ts');
    done(await signCommand(text, flags, stdio));
  });
  describeVerify(program).action(async (text, flags) => {
    const { verifyCommand } = await import('./commands/signing/sign.ts');
    done(await verifyCommand(text, flags, stdio));
  });
  describeExplain(program).action(async (request, flags) => {
    const { explainCommand } = await import('./commands/signing/explain.ts');
    done(await explainCommand(request, flags, stdio));
  });
}

function addIncidents(program: CommandUnknownOpts, stdio: Stdio, done: Done): void {
  describeIncident(program).action(async (files, flags) => {
    const { incidentCommand } = await import('./commands/incident/action.ts');
    done(await incidentCommand(files, flags, stdio));
  });
  describeReplay(program).action(async (files, flags) => {
    const { replayCommand } = await import('./commands/replay/action.ts');
    done(await replayCommand(files, flags, stdio));
  });
  describeCapsule(program).action(async (files, flags) => {
    const { capsuleCommand } = await import('./commands/capsule/action.ts');
    done(await capsuleCommand(files, flags, stdio));
  });
  describeProxy(program).action(async (flags) => {
    const { proxyCommand } = await import('./commands/proxy/action.ts');
    done(await proxyCommand(flags, stdio));
  });
}

function addServers(program: CommandUnknownOpts, stdio: Stdio, done: Done): void {
  describeLaunch(program).action(async (flags) => {
    const { launchCommand } = await import('./commands/launch/action.ts');
    done(await launchCommand(flags, stdio));
  });
  const serve = describeServe(program);
  describeServeOperator(serve).action(async (flags) => {
    const { serveOperatorCommand } = await import('./commands/serve/operator.ts');
    done(await serveOperatorCommand(flags, stdio));
  });
  describeServeCoreApi(serve).action(async (flags) => {
    const { serveCoreApiCommand } = await import('./commands/serve/core-api.ts');
    done(await serveCoreApiCommand(flags, stdio));
  });
  describeServeAll(serve).action(async (flags) => {
    const { serveAllCommand } = await import('./commands/serve/all.ts');
    done(await serveAllCommand(flags, stdio));
  });
}

function addLookups(program: CommandUnknownOpts, stdio: Stdio, done: Done): void {
  describeList(program).action(async (what, names, flags) => {
    const { listCommand } = await import('./commands/list/action.ts');
    done(await listCommand(what, names, flags, stdio));
  });
  describeLint(program).action(async (files, flags) => {
    const { lintCommand } = await import('./commands/lint/action.ts');
    done(await lintCommand(files, flags, stdio));
  });
  describeSchema(program).action(async (of) => {
    const { schemaCommand } = await import('./commands/schema/action.ts');
    done(await schemaCommand(of, stdio));
  });
  describeSelftest(program).action(async (names, flags) => {
    const { selftestCommand } = await import('./commands/selftest/action.ts');
    done(await selftestCommand(names, flags, stdio));
  });
  describeLicenses(program).action(async (flags) => {
    const { licensesCommand } = await import('./commands/licenses/action.ts');
    done(licensesCommand(flags, stdio));
  });
  describeCompletion(program).action(async (shell, words, flags) => {
    const { completionAnswerCommand, completionCommand } = await import('./commands/completion/action.ts');
    if (shell === 'answer') done(await completionAnswerCommand(program, words, flags.line, stdio));
    else done(completionCommand(shell, stdio));
  });
  describeHelp(program).action((words) => helpCommand(program, words, stdio.out));
}
