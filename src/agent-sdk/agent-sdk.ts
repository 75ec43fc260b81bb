// What we use of `@anthropic-ai/claude-agent-sdk`. The caller brings it, so that only those who use it have to install it.
import { RepriseError } from '../errors.ts'
import type { SdkProcess } from './sdk-process.ts'

/** What Reprise uses of `@anthropic-ai/claude-agent-sdk`. */
export type AgentSdk = {
  /** The `query` of the SDK, or a function around it that adds options such as `mcpServers`, `hooks` or `canUseTool`. */
  readonly query: (request: {
    readonly prompt: AsyncIterable<never>
    readonly options: SdkOptions
  }) => AsyncIterable<unknown>
}

export type SdkOptions = {
  readonly cwd?: string
  readonly env?: Record<string, string>
  readonly pathToClaudeCodeExecutable?: string
  /** Claude Code's own prompt, as without the SDK. The arguments of the run add instructions. */
  readonly systemPrompt: { readonly type: 'preset'; readonly preset: 'claude_code' }
  readonly abortController: AbortController
  readonly spawnClaudeCodeProcess: (wanted: SdkSpawn) => SdkProcess
}

/** How the SDK would start its program. */
export type SdkSpawn = {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The program that the SDK ships. Reprise asks the SDK how it would start that program, and starts nothing. */
export function executableOf(sdk: AgentSdk): string {
  let command: string | null = null
  const abortController = new AbortController()
  try {
    sdk.query({
      prompt: nothing(),
      options: {
        systemPrompt: { type: 'preset', preset: 'claude_code' },
        abortController,
        spawnClaudeCodeProcess: wanted => {
          command = wanted.command
          throw new Error('only asked')
        },
      },
    })
  } catch (error) {
    if (command === null) throw noProgram(error instanceof Error ? error.message : String(error))
  }
  // The query has started nothing yet, and must not do so later.
  abortController.abort()
  if (command !== null && /(^|\/)claude[^/]*$/.test(command)) return command
  throw noProgram(command === null ? 'it starts none at once' : `it would start ${command}`)
}

async function* nothing(): AsyncGenerator<never, void> {}

function noProgram(why: string): RepriseError {
  return new RepriseError(
    'agent-missing',
    `the Agent SDK brings no program of Claude Code along: ${why}`,
    'Name one: claudeCode({ sdk, executable: "/path/to/claude" }).',
  )
}
