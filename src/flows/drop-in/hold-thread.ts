// Takes the lease of a thread for a program that calls the agent itself, before anybody knows what the program will ask.
import type { PrintCall } from '../../adapters/agent-call.ts'
import { userMessage } from '../../core/conversation/messages.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import type { Run } from '../../core/run/run.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { sayWaiting } from '../queue/say-waiting.ts'
import { recover } from '../recovery/recover.ts'

/** Stands for the prompt until the caller has sent it; no branch ever lists it. */
const NOT_READ = '(the prompt has not been read)'

export type HeldThread = {
  readonly thread: ThreadRecord
  readonly run: Run
  readonly lease: Lease
  /** When the claim was sent, by the monotonic clock. */
  readonly sentAt: number
}

type Wanted = {
  readonly agent: Agent
  readonly workDir: string
  readonly asked: Pick<PrintCall, 'model' | 'permissionMode' | 'allowedTools' | 'disallowedTools'>
  /** How long to wait for the runs before this one. */
  readonly waitMs: number
}

/** `null`: other runs of the thread did not end in time. */
export async function holdThread(
  dependencies: Dependencies,
  thread: ThreadRecord,
  { agent, workDir, asked, waitMs }: Wanted,
): Promise<HeldThread | null> {
  const { store, clock, random, owner, timing, tracing } = dependencies
  const id = random.id('run')
  const createdAt = clock.now()
  const turn = {
    run: {
      id,
      agent: agent.name,
      model: asked.model,
      threadId: thread.id,
      workDir,
      permissionMode: asked.permissionMode ?? agent.adapter.words.defaultMode,
      allowedTools: asked.allowedTools,
      disallowedTools: asked.disallowedTools,
      // A caller gets the agent as it is: with everybody's settings, and in no sandbox.
      trust: 'project' as const,
      sandboxWanted: 'none' as const,
      freshSession: false,
      questions: 'none' as const,
    },
    message: userMessage({ id: random.id('msg'), text: NOT_READ, runId: id, createdAt }),
    owner,
    trace: tracing.current(),
  }
  const sentAt = performance.now()
  const { run, lease } = await store.submitAndClaim(turn, createdAt, timing.leaseMs)
  if (lease) return { thread, run, lease, sentAt }
  return waitForThread(dependencies, { thread, run, until: createdAt + waitMs })
}

async function waitForThread(
  dependencies: Dependencies,
  waiting: { readonly thread: ThreadRecord; readonly run: Run; readonly until: number },
): Promise<HeldThread | null> {
  const { store, clock, owner, timing } = dependencies
  const { thread, run, until } = waiting
  for (;;) {
    const sentAt = performance.now()
    const claim = await store.claimTurn(run.id, owner, timing.leaseMs)
    if (claim.state === 'claimed') return { thread, run, lease: claim.lease, sentAt }
    if (claim.state === 'ended') return null
    if ((await recover(dependencies, thread.id)).length > 0) continue
    if (clock.now() >= until) {
      await store.requestCancel(run.id, clock.now())
      return null
    }
    await sayWaiting(dependencies)
    await clock.sleep(timing.queuePollMs)
  }
}
