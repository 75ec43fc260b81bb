// pi (`pi --mode json`), put together from its parts.
import type { Adapter } from '../adapter.ts'
import { recognise } from './abilities.ts'
import { command, PI_MODES, takesModel } from './command.ts'
import { openDialogue } from './dialogue.ts'
import { outcomeOf } from './outcome.ts'
import { sessionFiles } from './session-files.ts'

/** Pi does not say how much fits into the context of a model. */
const ASSUMED_WINDOW_TOKENS = 128_000

export const piAdapter: Adapter = {
  name: 'pi',
  defaultExecutable: 'pi',
  install: 'npm install -g @earendil-works/pi-coding-agent',
  passEnv: [
    ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_*', 'TZ', 'TERM', 'TMPDIR'],
    ...['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR'],
    ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
    ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
    ...['PI_*', 'ANTHROPIC_*', 'OPENAI_*', 'GEMINI_*', 'OPENROUTER_*'],
  ],
  withheldEnv: [],
  setEnv: { PI_TELEMETRY: '0' },
  confinedEnv: { SHELL: '/bin/bash' },
  probes: [['--version'], ['--help']],
  recognise,
  words: {
    permissionModes: PI_MODES,
    defaultMode: 'read-only',
    unattendedMode: 'all-tools',
    takesModel,
  },
  open: (spec, runtime) => ({ command: command(spec, runtime), dialogue: openDialogue(spec) }),
  outcomeOf,
  instructionsBy: () => 'prompt',
  money: {
    usageMeans: 'request',
    costMeans: () => 'process',
    price: () => null,
    contextWindow: () => null,
    assumedWindow: ASSUMED_WINDOW_TOKENS,
  },
  tools: {
    aliases: [],
    shells: ['bash'],
    writing: { write: 'path', edit: 'path' },
    readsAsRefusal: result => /^Tool \S+ not found$/.test(result.trim()),
  },
  structuredOutput: () => false,
  canAsk: () => false,
  builtInAgents: [],
  sessionFiles,
  // A mode offers tools or does not. There is nothing that a tool of pi would be held to.
  fence: { kind: 'sandbox', modes: PI_MODES, dryRun: { mode: 'read-only' }, trusts: ['project'] },
}
