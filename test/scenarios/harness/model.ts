// The model behind a scenario: a scenario says what it does turn by turn, and asks what it got. Inside the fake agent, or behind the fake API.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NO_USAGE, type Usage } from '../../../src/core/run/events.ts'
import type { Run } from '../../../src/index.ts'
import type { SaidLine } from '../../../src/testing/fake-agent/journal.ts'
import type {
  FakeRunner,
  FakeTurn,
  JournalEntry,
  ModelRequest,
  ScriptedReply,
} from '../../../src/testing/index.ts'
import {
  DEFAULT_PRICES,
  lastTextOf,
  readJournal,
  realAgentEnv,
  requestTexts,
  startModelApi,
  textReply,
} from '../../../src/testing/index.ts'
import { apiPriceOf, costUsd } from '../../../src/testing/model-api/prices.ts'
import { type Act, fakeSteps, modelReply, SUBAGENT_PROMPT } from './acts.ts'

export type Bill = Usage & { readonly requests: number; readonly costUsd: number }

export type Model = {
  /** For the agent program. */
  readonly env: Readonly<Record<string, string>>
  /** Queues a turn; without one, the model echoes the last line it got. */
  plan(acts: readonly Act[]): void
  /** Forgets what is queued. */
  reset(): void
  /** What was said to the model in the last request of a run, in order: earlier messages, then the prompt. */
  saw(runId: string): Promise<readonly string[]>
  /** The same with roles. A call of a tool and its result have the role `tool`. */
  said(runId: string): Promise<readonly SaidLine[]>
  /** Everything it got besides: its system prompt, or what stands for it. */
  system(runId: string): Promise<string>
  /** All it got in that request, notes and files of the agent's own included, as JSON. */
  everything(runId: string): Promise<string>
  /** Requests of a run, and what they cost by the list of the one who sends the bill. */
  bill(run: Pick<Run, 'id' | 'usage' | 'model'>): Bill
  close(): Promise<void>
}

export function fakeModel(root: string, runner: Pick<FakeRunner, 'journal'> | null): Model {
  const script = join(root, 'script.json')
  const journal = join(root, 'journal')
  let turns: FakeTurn[] = []
  const write = () => writeFileSync(script, JSON.stringify(turns))
  const entry = async (runId: string): Promise<JournalEntry> => {
    const entries = runner?.journal ?? (await readJournal(journal))
    const found = entries.findLast(({ env }) => env.REPRISE_RUN_ID === runId)
    if (found) return found
    throw new Error(`The fake agent was never started for run ${runId}`)
  }
  write()
  return {
    env: {
      FAKE_AGENT_SCRIPT: script,
      FAKE_AGENT_JOURNAL: journal,
      HOME: join(root, 'home'),
      CLAUDE_CONFIG_DIR: join(root, 'home', '.claude'),
    },
    plan(acts) {
      turns.push({ once: true, do: acts.flatMap(fakeSteps) })
      write()
    },
    reset() {
      for (const index of turns.keys()) rmSync(`${script}.once-${index}`, { force: true })
      turns = []
      write()
    },
    async saw(runId) {
      const { history, prompt, inlined } = await entry(runId)
      return [...history.map(said => said.text), prompt, ...inlined]
    },
    async said(runId) {
      const { history, prompt } = await entry(runId)
      return [...history, { role: 'user', text: prompt }]
    },
    system: async runId => (await entry(runId)).instructions ?? '',
    everything: async runId => JSON.stringify(await entry(runId)),
    // Nobody else counts here: usage as the run reported it, at list prices.
    bill({ usage, model }) {
      const price = apiPriceOf(model ?? '', DEFAULT_PRICES)
      const dollars = costUsd({ ...usage, cacheWriteHourTokens: 0 }, price)
      return { ...usage, requests: 1, costUsd: dollars }
    },
    close: async () => {},
  }
}

export async function realModel(root: string): Promise<Model> {
  const api = await startModelApi()
  let queue: (readonly Act[])[] = []
  const acts = new Map<string, readonly Act[]>()
  const answer = (request: ModelRequest): ScriptedReply => {
    const runId = request.headers['x-reprise-run'] ?? ''
    const isSubagent = request.messages[0]?.text.includes(SUBAGENT_PROMPT) ?? false
    const whose = isSubagent ? `${runId} subagent` : runId
    const planned = acts.get(whose) ?? (isSubagent ? [] : queue.shift()) ?? []
    const [act, ...rest] = planned
    acts.set(whose, act?.does === 'fail' ? planned : rest)
    if (act?.does === 'delegate') acts.set(`${runId} subagent`, act.acts)
    return act ? modelReply(act) : textReply(`echo: ${lastLine(lastTextOf(request))}`)
  }
  api.respond(answer)
  const lastRequest = (runId: string): ModelRequest => {
    const found = api.turns.findLast(({ headers }) => headers['x-reprise-run'] === runId)
    if (found) return found
    throw new Error(`The model API got no request of run ${runId}`)
  }
  // Retries are the adapter's to bound (H-2).
  const { CLAUDE_CODE_MAX_RETRIES: _, ...env } = realAgentEnv({ api, home: join(root, 'home') })
  return {
    env,
    plan: planned => void queue.push(planned),
    reset() {
      queue = []
    },
    saw: async runId => requestTexts(lastRequest(runId)),
    said: async runId => saidIn(lastRequest(runId)),
    system: async runId => lastRequest(runId).system,
    everything: async runId => JSON.stringify(lastRequest(runId).body),
    bill: ({ id }) => billOf(api.requests.filter(({ headers }) => headers['x-reprise-run'] === id)),
    close: () => api.close(),
  }
}

function billOf(requests: readonly ModelRequest[]): Bill {
  let total: Bill = { ...NO_USAGE, requests: requests.length, costUsd: 0 }
  for (const { usage, model } of requests) {
    if (!usage) continue
    total = {
      requests: requests.length,
      inputTokens: total.inputTokens + usage.inputTokens,
      cacheReadTokens: total.cacheReadTokens + usage.cacheReadTokens,
      cacheWriteTokens: total.cacheWriteTokens + usage.cacheWriteTokens,
      outputTokens: total.outputTokens + usage.outputTokens,
      costUsd: total.costUsd + costUsd(usage, apiPriceOf(model, DEFAULT_PRICES)),
    }
  }
  return total
}

function saidIn(request: ModelRequest): readonly SaidLine[] {
  const texts = new Set(requestTexts(request))
  return request.messages.flatMap(({ role, parts }) =>
    parts
      .filter(({ text }) => texts.has(text))
      .map(({ type, text }) => {
        if (type !== 'text') return { role: 'tool', text }
        return { role: role === 'assistant' ? 'assistant' : 'user', text }
      }),
  )
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
