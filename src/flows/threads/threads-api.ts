// The verbs for threads that users call: create, find, list, adopt. What one thread can do is in threads.ts.
import type { LocalReprise, Reprise } from '../../api.ts'
import { given } from '../../core/optional.ts'
import { configOf } from '../agents/agents.ts'
import type { Dependencies } from '../dependencies.ts'
import type { LiveRuns } from '../queue/live-runs.ts'
import { threadFilesApi } from '../thread-files/thread-files-api.ts'
import { adoptThread } from './adopt-thread.ts'
import { checkedTitle, noCursor } from './check-input.ts'
import { foreseeTurn } from './foresee-turn.ts'
import { createThread, existingThread, threadHandle } from './threads.ts'

type ThreadSurroundings = {
  readonly ready: () => Promise<Dependencies>
  readonly live: LiveRuns
  readonly defaultAgent: () => string
}

export function threadsApi(
  around: ThreadSurroundings,
): Pick<Reprise, 'threads' | 'adopt'> & Pick<LocalReprise, 'nextDecision'> {
  const { ready, live, defaultAgent } = around
  return {
    threads: {
      create: async wanted => {
        const dependencies = await ready()
        const thread = {
          agent: configOf(dependencies, wanted.agent ?? defaultAgent()).name,
          place: wanted,
          title: wanted.title === undefined ? null : checkedTitle(wanted.title),
          view: wanted.view ?? 'all',
          trust: wanted.trust ?? null,
          sandbox: wanted.sandbox ?? null,
          ...(wanted.carry !== undefined && { carry: wanted.carry }),
        }
        const id = await createThread(dependencies, thread, wanted.key)
        return threadHandle(id, ready, live)
      },
      get: async id => {
        await existingThread(await ready(), id)
        return threadHandle(id, ready, live)
      },
      list: async (query = {}) => {
        const { store } = await ready()
        if (query.cursor && !(await store.thread(query.cursor)))
          throw noCursor(query.cursor, 'thread')
        return store.listThreads({ limit: 50, ...given(query) })
      },
      rename: async (id, title) => {
        const dependencies = await ready()
        const { clock, store } = dependencies
        await store.renameThread({ id, title: checkedTitle(title), now: clock.now() })
        return threadHandle(id, ready, live).show()
      },
      count: async (filter = {}) => (await ready()).store.countThreads(filter),
      ...threadFilesApi(ready, id => threadHandle(id, ready, live).show()),
    },
    nextDecision: async (id, options) => {
      const dependencies = await ready()
      return (await foreseeTurn(dependencies, await existingThread(dependencies, id), options))
        .decision
    },
    adopt: async request => {
      const dependencies = await ready()
      const agent = configOf(dependencies, request.agent ?? defaultAgent()).name
      return threadHandle(await adoptThread(dependencies, { ...request, agent }), ready, live)
    },
  }
}
