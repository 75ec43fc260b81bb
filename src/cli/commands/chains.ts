// The verbs of escalation chains and their policies, with their flags.
import { type Command, Option } from 'commander'
import { SANDBOX_MODES } from '../../core/run/sandbox.ts'
import { addJsonFlag, parseCount, parseDollars, parseLimit, parseSince } from '../flags/flags.ts'
import { addRepositoryFlags } from '../flags/place-flags.ts'
import { addRecurrenceFlags } from '../flags/recurrence-flags.ts'
import type { VerbCall } from '../start/call.ts'

const POLICY = 'path of its file, or its name in the config'
const CHAIN_STATUSES = 'running resolved exhausted failed held cancelled'.split(' ')

export function addEscalateVerb(program: Command, call: VerbCall): void {
  const escalate = addJsonFlag(program.command('escalate'))
    .description('run a chain: each tier continues the conversation of the tier below')
    .argument(
      '[prompt]',
      'the task; what is piped in follows it (`< /dev/null`: nothing); `-`, or nothing in a pipe, reads all of it from stdin',
    )
    .requiredOption('-p, --policy <policy>', POLICY)
    .addOption(new Option('--stream-json', 'print one event per line').conflicts('json'))
    .option('-a, --agent <name>', 'the agent (default: the agent of the policy, or of the config)')
    .option('--max-tier <number>', 'go no higher than this tier', parseCount)
    .option(
      '--dry-run',
      'every tier only looks and says what it would do; Reprise refuses tools that could change something',
    )
    .addOption(
      new Option(
        '--sandbox <mode>',
        'the sandbox around the processes of all tiers (default: that of the policy, else auto)',
      ).choices(SANDBOX_MODES),
    )
    .option('--budget <dollars>', 'the most that the whole chain may cost', parseDollars)
    .addOption(
      new Option(
        '--preview',
        'say what each tier would cost and what it would get of the conversation; start nothing',
      ).conflicts(['streamJson', 'every', 'cron']),
    )
    .option('--cwd <dir>', 'the directory the agents work in')
  addRecurrenceFlags(
    addRepositoryFlags(escalate),
    'let the daemon start the chain in steps of this time: 15m, 2h; two never overlap',
  ).action(call(async () => (await import('../verbs/escalate.ts')).escalate))
}

export function addChainVerbs(program: Command, call: VerbCall): void {
  const chains = program
    .command('chains')
    .description('the escalation chains: list, show with cost per tier, approve, continue, cancel')
  const verbs = () => import('../verbs/chains.ts')

  addJsonFlag(chains.command('ls'))
    .description('list chains, latest first (what `reprise chains` does)')
    .addOption(new Option('--status <status>', 'only chains in this state').choices(CHAIN_STATUSES))
    .option('--policy <name>', 'only chains of this policy')
    .option(
      '--since <time>',
      'only chains that were started since then: 2h, 7d, 2026-01-31',
      parseSince,
    )
    .option('-n, --limit <count>', 'how many', parseLimit, 20)
    .option('--cursor <id>', 'list the chains after this one')
    .action(call(async () => (await verbs()).listChains))

  addJsonFlag(chains.command('show'))
    .description('show a chain with its runs in order, its total and its cost per tier')
    .argument('<chain>', 'id of the chain, or of any of its runs')
    .action(call(async () => (await verbs()).showChain))

  addJsonFlag(chains.command('preview'))
    .description(
      'say what the next tier of a held chain would cost, or the tier of a broken-off chain if it is continued, and how the conversation would reach it; nothing is started',
    )
    .argument('<chain>', 'id of the chain')
    .action(call(async () => (await verbs()).previewNextTier))

  addJsonFlag(chains.command('approve'))
    .description('approve the next tier of a held chain')
    .argument('<chain>', 'id of the chain')
    .action(call(async () => (await import('../verbs/escalate.ts')).chainsApprove))

  addJsonFlag(chains.command('continue'))
    .description('continue a chain in the tier whose run was broken off')
    .argument('<chain>', 'id of the chain')
    .action(call(async () => (await import('../verbs/escalate.ts')).chainsContinue))

  addJsonFlag(chains.command('cancel'))
    .description('cancel a chain and its current run')
    .argument('<chain>', 'id of the chain')
    .action(call(async () => (await verbs()).cancelChain))
}

export function addScheduleVerbs(program: Command, call: VerbCall): void {
  const schedules = program
    .command('schedules')
    .description('the chains that the daemon starts repeatedly: list, remove')
  const verbs = () => import('../verbs/schedules.ts')

  addJsonFlag(schedules.command('ls'))
    .description('list schedules (what `reprise schedules` does)')
    .action(call(async () => (await verbs()).listSchedules))

  addJsonFlag(schedules.command('rm'))
    .description('remove a schedule; chains that it has started continue')
    .argument('<schedule>', 'id of the schedule')
    .action(call(async () => (await verbs()).removeSchedule))
}

export function addPolicyVerbs(program: Command, call: VerbCall): void {
  const policies = program
    .command('policies')
    .description('the policies, which define the tiers of chains: list, show, check')
  const verbs = () => import('../verbs/policies.ts')

  addJsonFlag(policies.command('ls'))
    .description('list the policies that the config names (what `reprise policies` does)')
    .action(call(async () => (await verbs()).listPolicies))

  addJsonFlag(policies.command('show'))
    .description('show the tiers of a policy, with models, tools and limits')
    .argument('<policy>', POLICY)
    .action(call(async () => (await verbs()).showPolicy))

  addJsonFlag(policies.command('check'))
    .description('check whether a policy file is valid, and show the line of each fault')
    .argument('<file>', POLICY)
    .action(call(async () => (await verbs()).checkPolicy))
}
