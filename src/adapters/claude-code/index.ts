// Claude Code (`claude`), put together from its parts.
import type { Adapter } from '../adapter.ts'
import { NO_STRUCTURED_OUTPUT, PROBES, recognise } from './abilities.ts'
import { command, PERMISSION_MODES, takesModel } from './command.ts'
import { guardAnswer } from './guard.ts'
import { findLogin } from './login.ts'
import { price } from './models.ts'
import { outcomeOf } from './outcome.ts'
import { answerLine, deferralSettings, parkedAnswer, parkingSettings } from './questions.ts'
import { isAtLeast, TESTED } from './quirks.ts'
import { readConversation } from './session/session-conversation.ts'
import { inspect, mark } from './session/session-file.ts'
import { readGrowth } from './session/session-growth.ts'
import { locate } from './session/session-path.ts'
import { createParser } from './stream/parser.ts'
import {
  HARMLESS_TOOLS,
  LOOKING_TOOLS,
  looksDenied,
  SHELL_TOOLS,
  TOOL_ALIASES,
  UNASKED_TOOLS,
  WRITING_TOOLS,
} from './stream/tools.ts'
import { BUILT_IN_AGENTS, contextText, WITHHELD_ENV } from './trust.ts'
import { contextWindow } from './windows.ts'

export const claudeCodeAdapter: Adapter = {
  name: 'claude-code',
  defaultExecutable: 'claude',
  defaultPermissionMode: 'default',
  permissionModes: PERMISSION_MODES,
  takesModel,
  // Never CLAUDECODE or all of CLAUDE_CODE_*: an agent that was started by another agent must not act as its child.
  passEnv: [
    ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_*', 'TZ', 'TERM', 'TMPDIR'],
    ...['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR'],
    ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
    ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
    ...['ANTHROPIC_*', 'CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_OAUTH_TOKEN'],
    ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'],
    // What the user has forbidden stays forbidden.
    ...['CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC', 'DISABLE_TELEMETRY', 'DISABLE_ERROR_REPORTING'],
  ],
  withheldEnv: WITHHELD_ENV,
  // With its own ten retries the agent says nothing for three minutes when the key is wrong.
  setEnv: { CLAUDE_CODE_MAX_RETRIES: '3', DISABLE_AUTOUPDATER: '1' },
  // Otherwise it runs commands with zsh where `SHELL` names zsh, and where `SHELL` is unset and zsh is installed.
  confinedEnv: { SHELL: '/bin/bash' },
  findLogin,
  probes: PROBES,
  recognise,
  ignoresInstructionsOnResume: ({ quirks }) => quirks.includes('instructions-ignored-on-resume'),
  costMeaning: ({ quirks }) => (quirks.includes('cost-of-session') ? 'session' : 'process'),
  canAsk: ({ version }) => isAtLeast(version, TESTED.oldest),
  parkingSettings,
  deferralSettings,
  parkedAnswer,
  answerLine,
  structuredOutput: ({ quirks }) => !quirks.includes(NO_STRUCTURED_OUTPUT),
  canGuard: ({ version }) => isAtLeast(version, TESTED.oldest),
  guardAnswer,
  readsAsRefusal: looksDenied,
  toolAliases: TOOL_ALIASES,
  shellTools: SHELL_TOOLS,
  writingTools: WRITING_TOOLS,
  dryRun: { tools: LOOKING_TOOLS, permissionMode: 'dontAsk' },
  harmlessTools: HARMLESS_TOOLS,
  unaskedTools: UNASKED_TOOLS,
  builtInAgents: BUILT_IN_AGENTS,
  contextFile: async (workDir, files) => {
    const text = await contextText(workDir, files)
    return text === null ? null : { name: 'CLAUDE.md', text }
  },
  command,
  createParser,
  outcomeOf,
  contextWindow,
  price,
  inspect,
  mark,
  locate,
  conversation: readConversation,
  growth: (place, mark, sent, files) => readGrowth(place, { mark, sent }, files),
}
