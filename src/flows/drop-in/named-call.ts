// Finds out which session a call means that does not name one, before the agent starts: the one that the agent itself would take.
import type { NamedCall, PrintCall } from '../../adapters/agent-call.ts'
import type { Agent, Dependencies } from '../dependencies.ts'

type Caller = { readonly agent: Agent; readonly workDir: string }

/** `because`: why nobody can know for certain; the agent then runs without Reprise. */
export async function namedCall(
  { files }: Dependencies,
  call: PrintCall,
  { agent, workDir }: Caller,
): Promise<NamedCall | { readonly because: string }> {
  const { session } = call
  if (session.kind === 'unnamed') return { because: 'it does not name its session by an id' }
  if (session.kind !== 'latest') return { ...call, session }
  const latest = await agent.adapter.sessionFiles?.latest?.({ workDir, env: agent.fullEnv }, files)
  if (!latest) return { because: `nobody knows how ${agent.name} finds its latest session` }
  if ('unsure' in latest) return { because: latest.unsure }
  const { sessionId } = latest
  const { fork } = session
  if (fork === null) return { ...call, session: { kind: 'resume', sessionId } }
  return { ...call, session: { kind: 'fork', from: sessionId, sessionId: fork.sessionId } }
}
