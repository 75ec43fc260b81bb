// `reprise claude …`: stands where a program expects the `claude` executable. Whatever goes wrong with Reprise, the agent runs.
import { realpathSync } from 'node:fs'
import { isatty } from 'node:tty'
import { claudeCode } from '../../agents/claude-code.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import { VERSION } from '../../core/version.ts'
import { RepriseError } from '../../errors.ts'
import { endAs, forward } from '../../runner/forward.ts'
import type { Verb } from '../start/call.ts'
import { type RealProgram, realProgram } from './real-program.ts'

const { adapter } = claudeCode()

/** Ends this process as the agent has ended; returns only the exit code of a call that was refused. */
export async function claude(args: readonly string[]): Promise<number> {
  try {
    return await standInFor(args)
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error
    say(`${error.message}\nhint: ${error.hint}`)
    return error.exitCode
  }
}

/** Reached when flags of ours stand before the verb. */
export const claudeVerb: Verb<readonly [args: readonly string[], ...rest: unknown[]]> = (
  _io,
  args,
) => claude(args)

async function standInFor(args: readonly string[]): Promise<number> {
  const { config, trouble } = await configOrTrouble()
  const agent = config && agentOf(config)
  const self = realpathSync(process.argv[1] ?? '')
  const program = realProgram(process.env, { named: agent?.executable ?? null, self })
  if (adapter.calls?.read(args, isatty(1)).kind === 'other') return become(program, args)
  if (!config || !agent) {
    say(`this call is not recorded: ${trouble}`)
    return become(program, args)
  }
  const stood = await stand(config, { args, agent: agent.name, program })
  if (stood.kind === 'bare') {
    if (stood.because !== null) say(`this call is not recorded: ${stood.because}`)
    return become(program, args)
  }
  if (stood.trouble !== null) say(`this call is not recorded to its end: ${stood.trouble}`)
  return endAs(stood)
}

/** A config that cannot be read must not keep the agent from its work. */
async function configOrTrouble(): Promise<{
  readonly config: Config | null
  readonly trouble: string
}> {
  try {
    const config = await loadConfig({ env: process.env, cwd: process.cwd(), version: VERSION })
    return { config, trouble: '' }
  } catch (error) {
    return { config: null, trouble: error instanceof Error ? error.message : String(error) }
  }
}

/** The default agent if it is Claude Code, else the first one that is. */
function agentOf({ agents, defaultAgent }: Config): Config['agents'][number] | null {
  const fits = agents.filter(agent => agent.adapter === adapter.name)
  return fits.find(({ name }) => name === defaultAgent) ?? fits[0] ?? null
}

async function stand(
  config: Config,
  call: { readonly args: readonly string[]; readonly agent: string; readonly program: RealProgram },
) {
  const { args, agent, program } = call
  const { dropIn } = await import('../../drop-in.ts')
  const { repriseOptions } = await import('../open/open-reprise.ts')
  const agents = config.agents.map(settings =>
    settings.name === agent ? { ...settings, executable: program.file } : settings,
  )
  return dropIn(repriseOptions({ ...config, agents }, { env: process.env }), {
    agent,
    args,
    workDir: process.cwd(),
    env: program.env,
    isTerminal: { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) },
    settings: config.dropIn,
    forward,
  })
}

/** This process becomes the program: nothing of ours is between it and its caller. */
function become({ file, env }: RealProgram, args: readonly string[]): never {
  if (process.execve) return process.execve(file, [file, ...args], { ...env })
  throw new RepriseError(
    'node-too-old',
    'this Node cannot become another program',
    'Use Node 22.18.',
  )
}

function say(text: string): void {
  process.stderr.write(`reprise: ${text}\n`)
}
