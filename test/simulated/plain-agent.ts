// A second agent for chains in this process. It talks like Claude Code, but is held by a mode alone, gives its verdict as a text,
// parks no calls and does not say what it costs.
import type { Adapter, DialogueStep } from '../../src/adapters/adapter.ts'
import { claudeCodeAdapter } from '../../src/adapters/claude-code/index.ts'
import { claudeCode } from '../../src/agents/claude-code.ts'
import type { AgentConfig } from '../../src/flows/dependencies.ts'

const { park: _park, stay: _stay, ...shared } = claudeCodeAdapter

export const plainAdapter: Adapter = {
  ...shared,
  name: 'plain',
  open(spec, runtime) {
    const { command, dialogue } = claudeCodeAdapter.open(spec, runtime)
    return { command, dialogue: { ...dialogue, read: line => withoutCost(dialogue.read(line)) } }
  },
  money: { ...claudeCodeAdapter.money, price: () => null, reportsCost: false },
  structuredOutput: () => false,
  fence: {
    kind: 'sandbox',
    modes: ['dontAsk', 'plan'],
    dryRun: { mode: 'plan' },
    trusts: ['project'],
  },
}

/** Has sessions of its own, beside those of the agent `claude-code`. */
export const plainAgent = (): AgentConfig => ({
  ...claudeCode({ name: 'plain', executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/plain' } }),
  adapter: plainAdapter,
})

function withoutCost(step: DialogueStep): DialogueStep {
  const events = step.events.map(event =>
    event.type === 'result' ? { ...event, totalCostUsd: null, modelsSinceLastResult: null } : event,
  )
  return { ...step, events }
}
