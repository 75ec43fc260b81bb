// The programs that Reprise knows to speak ACP: how each is started, and which variables it needs.
import type { Adapter } from '../adapter.ts'
import { claudeCodeAdapter } from '../claude-code/index.ts'
import { codexAdapter } from '../codex/index.ts'
import type { AcpProgram } from './index.ts'
import { OPENCODE_TIER } from './tier.ts'

export const ACP_PROGRAMS: readonly AcpProgram[] = [
  {
    name: 'opencode',
    executable: 'opencode',
    args: ['acp'],
    install: 'npm install -g opencode-ai',
    passEnv: ['OPENCODE_*', 'ANTHROPIC_*', 'OPENAI_*', 'OPENROUTER_*'],
    setEnv: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
    tier: OPENCODE_TIER,
  },
  {
    name: 'gemini',
    executable: 'gemini',
    args: ['--acp'],
    install: 'npm install -g @google/gemini-cli',
    provider: 'gcp.gemini',
    passEnv: ['GEMINI_*', 'GOOGLE_*'],
    // Its launcher would start the program a second time.
    setEnv: { GEMINI_CLI_NO_RELAUNCH: 'true' },
    tier: {
      problem:
        'it reads files without a request, its requests do not say the command, and settings of the project may let it run commands without a request',
    },
  },
  {
    name: 'qwen',
    executable: 'qwen',
    args: ['--acp'],
    install: 'npm install -g @qwen-code/qwen-code',
    passEnv: ['QWEN_*', 'OPENAI_*', 'DASHSCOPE_*'],
    tier: {
      problem: 'it writes files without a request',
    },
  },
  {
    name: 'copilot',
    executable: 'copilot',
    args: ['--acp'],
    install: 'npm install -g @github/copilot',
    passEnv: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN'],
    tier: {
      problem: 'it reads files without a request',
    },
  },
  {
    name: 'kimi',
    executable: 'kimi',
    args: ['acp'],
    install: 'npm install -g @moonshot-ai/kimi-code',
    passEnv: ['KIMI_*', 'MOONSHOT_*'],
    tier: {
      problem: 'it reads files without a request',
    },
  },
  {
    name: 'codex-acp',
    executable: 'codex-acp',
    args: [],
    install: 'npm install -g @agentclientprotocol/codex-acp',
    ...variablesOf(codexAdapter),
    tier: {
      problem: 'it runs commands in a sandbox of its own without a request; use the agent codex',
    },
  },
  {
    name: 'claude-agent-acp',
    executable: 'claude-agent-acp',
    args: [],
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    ...variablesOf(claudeCodeAdapter),
    tier: {
      problem: 'it reads files without a request; use the agent claude-code',
    },
  },
  {
    name: 'pi-acp',
    executable: 'pi-acp',
    args: [],
    install: 'npm install -g pi-acp @earendil-works/pi-coding-agent',
    passEnv: ['PI_*', 'ANTHROPIC_*', 'OPENAI_*', 'GEMINI_*'],
    tier: {
      problem: 'it runs every call without a request; use the agent pi',
    },
  },
]

/** The program inside is the same, and needs the same. */
function variablesOf({ provider, passEnv, withheldEnv }: Adapter) {
  return { ...(provider && { provider }), passEnv, withheldEnv }
}
