// codex (`codex exec`), put together from its parts.
import type { Adapter } from '../adapter.ts'
import { PROBES, recognise } from './abilities.ts'
import { CODEX_MODES, command, takesModel } from './command.ts'
import { openDialogue } from './dialogue.ts'
import { SHELL_TOOLS } from './items.ts'
import { programBehind } from './launcher.ts'
import { findLogin } from './login.ts'
import { outcomeOf } from './outcome.ts'
import { sessionFiles } from './session-files.ts'

export const codexAdapter: Adapter = {
  name: 'codex',
  defaultExecutable: 'codex',
  install: 'npm install -g @openai/codex',
  programBehind,
  provider: 'openai',
  passEnv: [
    ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_*', 'TZ', 'TERM', 'TMPDIR'],
    ...['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR'],
    ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
    ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'CODEX_CA_CERTIFICATE'],
    ...['CODEX_HOME', 'CODEX_API_KEY', 'OPENAI_*'],
  ],
  // Codex sets these for the commands that it runs: an agent that Reprise starts there must not act as its child.
  withheldEnv: ['CODEX_SANDBOX', 'CODEX_SANDBOX_*', 'CODEX_THREAD_ID', 'CODEX_MANAGED_*'],
  setEnv: {},
  confinedEnv: { SHELL: '/bin/bash' },
  findLogin,
  probes: PROBES,
  recognise,
  words: {
    permissionModes: CODEX_MODES,
    defaultMode: 'read-only',
    unattendedMode: 'workspace-write',
    takesModel,
  },
  open: (spec, runtime) => ({ command: command(spec, runtime), dialogue: openDialogue(spec) }),
  outcomeOf,
  instructionsBy: () => 'prompt',
  // Codex reports what the thread has used since its beginning, a fork what its parent had used as well.
  money: {
    usageMeans: 'session',
    costMeans: () => 'process',
    reportsCost: false,
    price: () => null,
    contextWindow: () => null,
  },
  tools: { aliases: [], shells: SHELL_TOOLS, writing: {}, readsAsRefusal: () => false },
  structuredOutput: () => false,
  canAsk: () => false,
  builtInAgents: [],
  sessionFiles,
  fence: {
    kind: 'sandbox',
    modes: CODEX_MODES,
    dryRun: { mode: 'read-only' },
    trusts: ['project'],
  },
}
