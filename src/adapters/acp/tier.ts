// How a program over ACP is held to a tier: it is offered only the tools that the rules allow, and asks before their calls.
import { hashText } from '../../core/hash-text.ts'
import { fieldsIn, parseFields } from '../fields.ts'

export type AcpTier = {
  /** The oldest version that was seen to ask before every call. */
  readonly since: string
  /** The first version of which nobody knows whether it still does. */
  readonly before: string
  /** Kinds of calls, in the words of ACP, that rules of a tier may name. It is offered no others. */
  readonly kinds: readonly string[]
  /** Whether it says of every turn how many tokens it used. */
  readonly saysTokens: boolean
  /** The mode of the session in which it asks. Each run has another one: settings of the project for a mode of this name would count too. */
  modeOf(runId: string): string
  /** Makes that mode, with the tools of these kinds alone, whatever the settings of the user and the project say. */
  env(
    env: Readonly<Record<string, string>>,
    { mode, kinds }: { readonly mode: string; readonly kinds: readonly string[] },
  ): Readonly<Record<string, string>>
}

const MODE = 'reprise-tier'
const MODE_CHARS = 16
const CONFIG = 'OPENCODE_CONFIG_CONTENT'

const TOOLS_BY_KIND: Readonly<Record<string, readonly string[]>> = {
  read: ['read'],
  search: ['glob', 'grep'],
  edit: ['edit'],
  execute: ['bash'],
  fetch: ['webfetch'],
  // Directories outside of the work dir.
  other: ['external_directory'],
}

/**
 * The mode is an agent of opencode's own with permissions of its own: those of other agents and of the whole config have no part in it. Tools that
 * are denied are not offered: those that no rule allows, sub-agents, whose calls nobody would ask about, and tools of servers and of the project.
 * A question before a call is not enough for commands: opencode runs a shell line in which it recognises no command, such as a bare redirection
 * or `[[ … ]]`, without asking. So a tier has its shell or has it not, and rules about single commands are refused.
 */
export const OPENCODE_TIER: AcpTier = {
  since: '1.18.33',
  before: '1.19.0',
  kinds: Object.keys(TOOLS_BY_KIND),
  // It reports its last model request alone.
  saysTokens: false,
  // A config of the project can name variables of the environment. The id of the run is one, so the mode is named after a hash of it. The config
  // that we make is another and holds the name, but a variable stands for all of its text, never for a part of it.
  modeOf: runId => `${MODE}-${hashText(`${MODE} ${runId}`).slice(0, MODE_CHARS)}`,
  env(env, { mode, kinds }) {
    const own = parseFields(env[CONFIG] ?? '') ?? {}
    const asked = kinds.flatMap(kind => TOOLS_BY_KIND[kind] ?? [])
    const permission = { '*': 'deny', ...Object.fromEntries(asked.map(tool => [tool, 'ask'])) }
    const config = {
      ...own,
      // After a refusal it tells the model, which goes on.
      experimental: { ...fieldsIn(own.experimental), continue_loop_on_deny: true },
      agent: { ...fieldsIn(own.agent), [mode]: { mode: 'primary', permission } },
    }
    return { [CONFIG]: JSON.stringify(config) }
  },
}
