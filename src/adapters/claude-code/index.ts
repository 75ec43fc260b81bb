// Claude Code (`claude`), put together from its parts.
import type { Adapter, Runtime } from '../adapter.ts'
import { isAtLeast } from '../versions.ts'
import { LOOK_ALIKE, NO_STRUCTURED_OUTPUT, ONE_TURN, PROBES, recognise } from './abilities.ts'
import { readArguments, withFork, withSessionId } from './call/read-call.ts'
import { callReader, promptIn } from './call/read-output.ts'
import { command, PERMISSION_MODES, TIER_MODES, takesModel } from './command.ts'
import { openDialogue } from './dialogue.ts'
import { findLogin } from './login.ts'
import { price } from './models.ts'
import { outcomeOf } from './outcome.ts'
import { parkFiles } from './questions.ts'
import { isTested, TESTED } from './quirks.ts'
import { areNotes } from './session/added-notes.ts'
import { copySession } from './session/copy-session.ts'
import { repairSession } from './session/doctor.ts'
import { latestSession } from './session/latest-session.ts'
import { readConversation } from './session/session-conversation.ts'
import { inspect, mark } from './session/session-file.ts'
import { readGrowth } from './session/session-growth.ts'
import { locate } from './session/session-path.ts'
import { previewHead, trimSession } from './session/trim-session.ts'
import { writtenSession } from './session/written-session.ts'
import { startFiles } from './staying.ts'
import { TOOL_DEFERRED } from './stream/result.ts'
import {
  HARMLESS_TOOLS,
  LOOKING_TOOLS,
  looksDenied,
  looksUnasked,
  SHELL_TOOLS,
  TOOL_ALIASES,
  UNASKED_TOOLS,
  WRITING_TOOLS,
} from './stream/tools.ts'
import { BUILT_IN_AGENTS, contextText, WITHHELD_ENV } from './trust.ts'
import { contextWindow } from './windows.ts'

export const claudeCodeAdapter: Adapter & Required<Pick<Adapter, 'sessionFiles'>> = {
  name: 'claude-code',
  defaultExecutable: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
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
  provider: 'anthropic',
  withheldEnv: WITHHELD_ENV,
  setEnv: {
    // It saves the prompt before it asks the model, and the answer before it says that the turn is over; else up to 0.1 s later.
    CLAUDE_CODE_EAGER_FLUSH: '1',
    // With its own ten retries the agent says nothing for three minutes when the key is wrong.
    CLAUDE_CODE_MAX_RETRIES: '3',
    DISABLE_AUTOUPDATER: '1',
  },
  // Otherwise it runs commands with zsh where `SHELL` names zsh, and where `SHELL` is unset and zsh is installed.
  confinedEnv: { SHELL: '/bin/bash' },
  findLogin,
  probes: PROBES,
  recognise,
  words: {
    permissionModes: PERMISSION_MODES,
    defaultMode: 'default',
    unattendedMode: 'acceptEdits',
    takesModel,
  },
  open: (spec, runtime) => ({
    command: command(spec, runtime),
    dialogue: openDialogue(spec, runtime),
  }),
  outcomeOf,
  instructionsBy: ({ quirks }) =>
    quirks.includes('instructions-ignored-on-resume') ? 'file-at-start' : 'file',
  money: {
    usageMeans: 'request',
    costMeans: ({ quirks }) => (quirks.includes('cost-of-session') ? 'session' : 'process'),
    price,
    contextWindow,
  },
  tools: {
    aliases: TOOL_ALIASES,
    shells: SHELL_TOOLS,
    writing: WRITING_TOOLS,
    readsAsRefusal: looksDenied,
    readsAsUnasked: looksUnasked,
  },
  structuredOutput: ({ quirks }) => !quirks.includes(NO_STRUCTURED_OUTPUT),
  canAsk: isKnown,
  builtInAgents: BUILT_IN_AGENTS,
  contextFile: async (workDir, files) => {
    const text = await contextText(workDir, files)
    return text === null ? null : { name: 'CLAUDE.md', text }
  },
  sessionFiles: {
    archiveName: 'session.jsonl',
    inspect,
    mark,
    locate,
    conversation: readConversation,
    growth: (place, mark, sent, files) => readGrowth(place, { mark, sent }, files),
    holds: (copy, messageId) => Buffer.from(copy).includes(messageId),
    latest: latestSession,
    areNotes,
    repair: repairSession,
    copyAs: copySession,
  },
  writtenSessions: {
    areTaken: ({ version, quirks }) => !quirks.includes(LOOK_ALIKE) && isTested(version),
    write: writtenSession,
    trim: trimSession,
    previewHead,
  },
  calls: { read: readArguments, withSessionId, withFork, reader: callReader, promptIn },
  fence: {
    kind: 'rules',
    modes: TIER_MODES,
    canGuard: isKnown,
    dryRun: { tools: LOOKING_TOOLS, mode: 'dontAsk' },
    harmless: HARMLESS_TOOLS,
    unasked: UNASKED_TOOLS,
  },
  park: { stopReason: TOOL_DEFERRED, canPark: isKnown, files: parkFiles },
  stay: {
    canStay: ({ version, quirks }) =>
      isAtLeast(version, TESTED.oldest) &&
      !quirks.includes(LOOK_ALIKE) &&
      !quirks.includes(ONE_TURN),
    startFiles,
  },
}

function isKnown({ version }: Runtime): boolean {
  return isAtLeast(version, TESTED.oldest)
}
