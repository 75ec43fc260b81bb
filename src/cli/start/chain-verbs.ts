// The verbs of escalation chains and their policies, with their flags.
import { type Command, Option } from 'commander'
import { SANDBOX_MODES } from '../../core/run/sandbox.ts'
import { addJsonFlag, parseCount, parseDollars, parseLimit } from '../flags/flags.ts'
import { addRecurrenceFlags } from '../flags/recurrence-flags.ts'
import type { VerbCall } from './call.ts'

const POLICY = 'path of its file, or its name in the config'
const CHAIN_STATUSES = 'running resolved exhausted failed held cancelled'.split(' ')

export function addEscalateVerb(program: Command, call: VerbCall): void {
  const escalate = addJsonFlag(program.command('escalate'))
    .description('run a chain: each tier goes on with the conversation of the one below')
    .argument('[prompt]', 'the task; `-`, or nothing in a pipe, reads it from stdin')
    .requiredOption('-p, --policy <policy>', POLICY)
    .addOption(new Option('--stream-json', 'print one event per line').conflicts('json'))
    .option('-a, --agent <name>', 'the agent (default: that of the policy, or of the config)')
    .option('--max-tier <number>', 'go no higher than this tier', parseCount)
    .option(
      '--dry-run',
      'every tier looks and says what it would do; tools that could change something are refused',
    )
    .addOption(
      new Option(
        '--sandbox <mode>',
        'what holds the processes of all tiers (default: as the policy says, else auto)',
      ).choices(SANDBOX_MODES),
    )
    .option('--budget <dollars>', 'what the whole chain may cost', parseDollars)
    .option('--cwd <dir>', 'the directory the agents work in')
  addRecurrenceFlags(escalate, 'again and again, by the daemon: 15m, 2h; no cycle overlaps').action(
    call(async () => (await import('../verbs/escalate.ts')).escalate),
  )
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
    .option('-n, --limit <count>', 'how many', parseLimit, 20)
    .option('--cursor <id>', 'go on after this chain')
    .action(call(async () => (await verbs()).listChains))

  addJsonFlag(chains.command('show'))
    .description('a chain with its runs in order, its total and its cost per tier')
    .argument('<chain>', 'id of the chain, or of any of its runs')
    .action(call(async () => (await verbs()).showChain))

  addJsonFlag(chains.command('approve'))
    .description('let a held chain into the tier that asks for a person')
    .argument('<chain>', 'id of the chain')
    .action(call(async () => (await import('../verbs/escalate.ts')).chainsApprove))

  addJsonFlag(chains.command('continue'))
    .description('let a chain go on in the tier whose run was interrupted')
    .argument('<chain>', 'id of the chain')
    .action(call(async () => (await import('../verbs/escalate.ts')).chainsContinue))

  addJsonFlag(chains.command('cancel'))
    .description('end the run that is going, and the chain with it')
    .argument('<chain>', 'id of the chain')
    .action(call(async () => (await verbs()).cancelChain))
}

export function addScheduleVerbs(program: Command, call: VerbCall): void {
  const schedules = program
    .command('schedules')
    .description('chains that are started again and again: list, remove')
  const verbs = () => import('../verbs/schedules.ts')

  addJsonFlag(schedules.command('ls'))
    .description('list schedules (what `reprise schedules` does)')
    .action(call(async () => (await verbs()).listSchedules))

  addJsonFlag(schedules.command('rm'))
    .description('remove a schedule; chains that it has started go on')
    .argument('<schedule>', 'id of the schedule')
    .action(call(async () => (await verbs()).removeSchedule))
}

export function addPolicyVerbs(program: Command, call: VerbCall): void {
  const policies = program
    .command('policies')
    .description('the tiers that chains go through: list, show, check')
  const verbs = () => import('../verbs/policies.ts')

  addJsonFlag(policies.command('ls'))
    .description('list the policies that the config names (what `reprise policies` does)')
    .action(call(async () => (await verbs()).listPolicies))

  addJsonFlag(policies.command('show'))
    .description('the tiers of a policy, with models, tools and limits')
    .argument('<policy>', POLICY)
    .action(call(async () => (await verbs()).showPolicy))

  addJsonFlag(policies.command('check'))
    .description('whether a policy file is valid, with the line of what is wrong in it')
    .argument('<file>', POLICY)
    .action(call(async () => (await verbs()).checkPolicy))
}
