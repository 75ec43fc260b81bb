// The tour: a chat, an escalation and a job that is killed; each step explains its result.
import type { Chain, JobDetails, ThreadDetails } from '../../api.ts'
import { explain, wordsOf } from '../../core/decide/explain.ts'
import type { Run } from '../../core/run/run.ts'
import type { Io } from '../start/io.ts'
import { tableText } from '../terminal/table.ts'
import { timesIn } from '../terminal/time.ts'
import { printExplanation } from '../verbs/why.ts'
import { type Column, usd } from '../view/print.ts'
import { summaryOf } from '../view/stream-turn.ts'
import { createPage, type DemoPage, type DemoStep, type StepRun } from './page.ts'
import { PROMPTS } from './script.ts'
import { eventually, type Stage } from './stage.ts'

type Sent = { readonly run: Run; readonly threadId: string; readonly text: string }

export async function tour(io: Io, stage: Stage): Promise<readonly DemoStep[]> {
  const page = createPage(io)
  page.paragraph(INTRODUCTION)
  const forked = await chat(page, stage)
  await escalation(page, stage)
  await job(page, stage)
  page.heading('And always: why?')
  page.inset.stdout.write(`\n$ reprise why ${forked.id}`)
  if (forked.decision) printExplanation(page.inset, explain(forked.decision))
  io.stdout.write(NEXT)
  return page.steps
}

/** Returns the run that could use only a part of its session. */
async function chat(page: DemoPage, stage: Stage): Promise<Run> {
  page.heading('A conversation that outlives every process')
  const { threadId } = await send(page, stage, {
    title: 'Start a thread. The answer is kept, with what it cost.',
    prompt: PROMPTS.first,
  })
  await send(page, stage, {
    title: 'Another process, the same thread. The agent remembers: its own session goes on.',
    prompt: PROMPTS.second,
    threadId,
  })
  await stage.run(['threads', 'edit', threadId, '3', PROMPTS.edited])
  const title =
    'Change the past. The second prompt now says something else; the answer to it stays.'
  const command = `reprise threads edit ${threadId} 3 "${PROMPTS.edited}"`
  page.step({ part: 'chat', title, command, ...about([]) }, [])
  const { run } = await send(page, stage, {
    title: 'The session has seen the old prompt. Reprise continues a copy that ends before it.',
    prompt: PROMPTS.third,
    threadId,
  })
  return run
}

async function send(
  page: DemoPage,
  stage: Stage,
  say: { readonly title: string; readonly prompt: string; readonly threadId?: string },
): Promise<Sent> {
  const thread = say.threadId === undefined ? [] : ['-t', say.threadId]
  // `reprise send --json` prints this shape; the same holds for the chain and the job below.
  const sent = (await stage.run(['send', ...thread, say.prompt])) as Sent
  const command = ['reprise send', ...thread, `"${say.prompt}"`].join(' ')
  const step = { part: 'chat', title: say.title, command, ...about([sent.run]) } as const
  page.step(step, [sent.text, summaryOf(sent.run)])
  return sent
}

async function escalation(page: DemoPage, stage: Stage): Promise<void> {
  page.heading('An escalation: a cheap model looks first, a stronger one goes on')
  const chain = (await stage.run(['escalate', '-p', 'ops', PROMPTS.chain])) as Chain
  const command = `reprise escalate -p ops "${PROMPTS.chain}"`
  const title =
    'Three tiers of policies/ops.yaml, each with its own model, tools and bill. Nothing is explained twice: each continues a copy of the session below.'
  const said = chain.runs.map(run => `tier ${run.tier}: ${run.verdict?.summary ?? run.status}`)
  page.step({ part: 'escalation', title, command, ...about(chain.runs) }, [
    ...said,
    '',
    ...linesOf(tableText(chain.runs, TIER_COLUMNS, PLAIN)),
    `total ${usd(chain.totals.costUsd)}: ${chain.status}`,
  ])
}

/** The page of the demo breaks lines itself. */
const PLAIN = { width: null, times: timesIn(() => 0) } as const

const TIER_COLUMNS: readonly Column<Run>[] = [
  { title: 'tier', cell: run => String(run.tier) },
  { title: 'model', cell: run => run.model ?? '–' },
  { title: 'session', cell: run => run.decision?.action ?? '–' },
  { title: 'verdict', cell: run => run.verdict?.verdict ?? '–' },
  { title: 'cost', cell: run => usd(run.costUsd), align: 'right' },
]

async function job(page: DemoPage, stage: Stage): Promise<void> {
  page.heading('A job that survives kill -9')
  await stage.serve()
  const { id } = (await stage.run(['jobs', 'submit', PROMPTS.job])) as JobDetails
  await stage.killDaemon()
  page.step(
    {
      part: 'job',
      title:
        'Hand the work to the daemon (reprise serve), and pull the plug in the middle of it. The agent goes with it.',
      command: `reprise jobs submit "${PROMPTS.job}"`,
      ...about([]),
    },
    [id, '# kill -9 of the daemon'],
  )
  await stage.serve()
  const done = await eventually(async () => {
    const job = (await stage.run(['jobs', 'show', id])) as JobDetails
    return job.status === 'completed' ? job : null
  })
  const { messages } = (await stage.run(['threads', 'show', done.threadId])) as ThreadDetails
  const said = (run: Run) => messages.find(message => message.id === run.answerMessageId)?.text
  const title =
    'Start the daemon again. It finds what happened, and the next attempt goes on in the same session.'
  page.step({ part: 'job', title, command: `reprise jobs show ${id}`, ...about(done.attempts) }, [
    ...done.attempts.map(run => `attempt ${run.attempt}: ${said(run) ?? ''}`),
    '',
    ...linesOf(tableText(done.attempts, ATTEMPT_COLUMNS, PLAIN)),
    `total ${usd(done.costUsd)}: ${done.status}`,
  ])
}

const ATTEMPT_COLUMNS: readonly Column<Run>[] = [
  { title: 'attempt', cell: run => String(run.attempt) },
  { title: 'session', cell: run => run.decision?.action ?? '–' },
  { title: 'came to', cell: run => [run.status, run.failure?.class].filter(Boolean).join(': ') },
  { title: 'cost', cell: run => usd(run.costUsd), align: 'right' },
]

function about(runs: readonly Run[]): Pick<DemoStep, 'decision' | 'words' | 'runs' | 'costUsd'> {
  const decision = runs.at(-1)?.decision ?? null
  return {
    decision: decision?.action ?? null,
    words: decision && wordsOf(decision),
    runs: runs.map(stepRun),
    costUsd: runs.length === 0 ? null : runs.reduce((sum, run) => sum + (run.costUsd ?? 0), 0),
  }
}

function stepRun({ id, status, tier, attempt, costUsd, decision }: Run): StepRun {
  return { id, status, tier, attempt, costUsd, decision: decision?.action ?? null }
}

function linesOf(text: string): readonly string[] {
  return text.trimEnd().split('\n')
}

const INTRODUCTION = `Every call of a coding agent is a new process without a memory. Reprise keeps the conversation, continues the
agent's own session whenever that is safe, and can say why. Here with a fake agent: no key, no network, nothing kept.`

const NEXT = `
Try it with your own agent (Claude Code on PATH), in a project of yours:

   reprise agents                        what was found
   reprise send "What is this project?"  a first turn; \`reprise chat\` to talk
   reprise threads                       your threads
   reprise savings                       what continuing has saved
   reprise serve                         HTTP API, jobs, a page for browsers
`
