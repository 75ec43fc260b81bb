// The real programs of other agents: where they are, and the files and variables with which each talks to the fake model API only.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { realAgentEnv } from '../../src/testing/index.ts'
import { NEWEST } from '../scenarios/harness/program.ts'

/** A directory of the test's own, in which a program lives. */
export type AgentPlace = {
  /** Of the fake model API. */
  readonly apiUrl: string
  readonly home: string
  /** Not above `home`: codex refuses to put its helpers below the directory for temporary files. */
  readonly temporary: string
}

export type AgentProgram = {
  readonly name: string
  readonly version: string
  /** The private package that brings it. */
  readonly package: 'test/real-agents' | 'test/other-agents'
  /** Below `node_modules` of that package. */
  readonly file: string
  /** What stands before all other arguments, such as the word that makes it speak ACP. */
  readonly args?: readonly string[]
  /** It finds no session that is younger than this, and loses one for which it was asked too early. */
  readonly findsAfterMs?: number
  /** It answers a prompt before it has saved the answer: killed then, it has lost it. */
  readonly savesLate?: true
  /** Writes the config files and gives the variables. */
  prepare(place: AgentPlace): Readonly<Record<string, string>>
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const OTHERS = join(ROOT, 'test/other-agents/node_modules')

export const codex: AgentProgram = {
  name: 'codex',
  version: '0.169.0',
  package: 'test/real-agents',
  file: '@openai/codex/bin/codex.js',
  prepare(place) {
    write(place.home, '.codex/config.toml', codexConfig(place))
    return { MOCK_API_KEY: 'not-a-real-key' }
  },
}

export const claude: AgentProgram = {
  name: 'claude-code',
  version: NEWEST,
  package: 'test/real-agents',
  file: `@anthropic-ai/claude-agent-sdk-linux-${process.arch}/claude`,
  prepare: ({ home, apiUrl }) => realAgentEnv({ api: { url: apiUrl }, home }),
}

/** The programs that speak ACP, alone or with a program of their own between. */
export const ACP_PROGRAMS: readonly AgentProgram[] = [
  other('opencode', '1.18.33', {
    // The script of the package that finds the program for this machine needs a postinstall, which we do not run.
    file: `opencode-linux-${process.arch}/bin/opencode`,
    args: ['acp'],
    prepare({ home, apiUrl }) {
      write(home, '.config/opencode/opencode.json', opencodeConfig(apiUrl))
      return {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      }
    },
  }),
  other('codex-acp', '2.6.0', {
    file: '@agentclientprotocol/codex-acp/dist/index.js',
    prepare: codex.prepare,
  }),
  other('claude-agent-acp', '0.100.0', {
    file: '@agentclientprotocol/claude-agent-acp/dist/index.js',
    prepare: ({ home, apiUrl }) => realAgentEnv({ api: { url: apiUrl }, home }),
  }),
  other('gemini', '0.61.0', {
    file: '@google/gemini-cli/bundle/gemini.js',
    findsAfterMs: 65_000,
    args: ['--acp'],
    prepare({ home, apiUrl }) {
      write(home, '.gemini/settings.json', {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        // Its own cleanup deletes conversations that were resumed.
        general: { sessionRetention: { enabled: false } },
      })
      return {
        GEMINI_API_KEY: 'not-a-real-key',
        // Otherwise it asks another model first which model to take.
        GEMINI_MODEL: 'gemini-2.5-flash',
        GOOGLE_GEMINI_BASE_URL: apiUrl,
        GEMINI_CLI_NO_RELAUNCH: 'true',
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      }
    },
  }),
  other('qwen', '0.24.4', {
    file: '@qwen-code/qwen-code/cli-entry.js',
    args: ['--acp', '--auth-type', 'openai'],
    prepare: ({ apiUrl }) => ({
      OPENAI_BASE_URL: `${apiUrl}/v1`,
      OPENAI_API_KEY: 'not-a-real-key',
      OPENAI_MODEL: 'mock-model',
    }),
  }),
  other('copilot', '1.0.102', {
    file: '@github/copilot/npm-loader.js',
    args: ['--acp'],
    prepare: ({ apiUrl }) => ({
      COPILOT_PROVIDER_BASE_URL: `${apiUrl}/v1`,
      COPILOT_PROVIDER_API_KEY: 'not-a-real-key',
      COPILOT_MODEL: 'mock-model',
      COPILOT_OFFLINE: 'true',
    }),
  }),
  other('kimi', '2.1.0', {
    file: '@moonshot-ai/kimi-code/dist/main.mjs',
    savesLate: true,
    args: ['acp'],
    prepare(place) {
      write(place.home, '.kimi-code/config.toml', kimiConfig(place))
      return {}
    },
  }),
  other('pi-acp', '0.0.34', {
    file: 'pi-acp/dist/index.js',
    prepare(place) {
      const env = preparePi(place)
      // It says what it finds out about the pi on the PATH, and would ask a registry for a newer one.
      const PATH = [join(OTHERS, '.bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':')
      return { ...env, PATH, PI_ACP_PI_COMMAND: 'pi', npm_config_offline: 'true' }
    },
  }),
]

export const pi: AgentProgram = other('pi', '0.87.1', {
  file: '@earendil-works/pi-coding-agent/dist/bundle/cli.js',
  prepare: preparePi,
})

/** The program file and the arguments before all others. */
export function commandOf(program: AgentProgram): readonly [string, ...string[]] {
  const file = join(ROOT, program.package, 'node_modules', program.file)
  const isScript = /\.m?js$/.test(file)
  const args = program.args ?? []
  return isScript ? [process.execPath, file, ...args] : [file, ...args]
}

/** The whole environment of a program: nothing of ours gets into it. */
export function environmentOf(program: AgentProgram, place: AgentPlace): Record<string, string> {
  for (const directory of [place.home, place.temporary]) mkdirSync(directory, { recursive: true })
  return {
    // Some start others by the first line of a script, which must find a Node that is new enough.
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: place.home,
    TMPDIR: place.temporary,
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    ...program.prepare(place),
  }
}

function codexConfig({ apiUrl }: AgentPlace): string {
  return `model = "mock-model"
model_provider = "mock"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.mock]
name = "mock"
base_url = "${apiUrl}/v1"
env_key = "MOCK_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`
}

function other(
  name: string,
  version: string,
  about: Pick<AgentProgram, 'file' | 'args' | 'findsAfterMs' | 'savesLate' | 'prepare'>,
): AgentProgram {
  return { name, version, package: 'test/other-agents', ...about }
}

function opencodeConfig(apiUrl: string): object {
  const model = {
    cost: { input: 1, output: 2, cache_read: 0.1 },
    limit: { context: 100_000, output: 8000 },
  }
  return {
    autoupdate: false,
    share: 'disabled',
    model: 'mock/mock-model',
    small_model: 'mock/mock-model',
    enabled_providers: ['mock'],
    permission: { bash: 'ask', edit: 'ask' },
    provider: {
      mock: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${apiUrl}/v1`, apiKey: 'not-a-real-key' },
        models: { 'mock-model': model },
      },
    },
  }
}

function kimiConfig({ apiUrl }: AgentPlace): string {
  return `default_model = "mock"
telemetry = false
[providers.mock]
type = "openai"
base_url = "${apiUrl}/v1"
api_key = "not-a-real-key"
[models.mock]
provider = "mock"
model = "mock-model"
max_context_size = 100000
`
}

function preparePi({ home, apiUrl }: AgentPlace): Readonly<Record<string, string>> {
  const cost = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 }
  const mock = {
    baseUrl: `${apiUrl}/v1`,
    api: 'openai-completions',
    apiKey: 'not-a-real-key',
    models: [{ id: 'mock-model', cost }],
  }
  write(home, '.pi/agent/models.json', { providers: { mock } })
  return { PI_OFFLINE: '1', PI_TELEMETRY: '0' }
}

function write(home: string, path: string, content: string | object): void {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
}
