// Fills a store with a history that nobody works on any more: threads, runs, events, sessions, jobs, chains, copies of session files.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PieceStore } from '../../../src/store/contract/pieces.ts'
import type { StoreWithWork } from '../../../src/store/contract/store.ts'
import { sampleJob } from '../../../src/testing/store-conformance/job-cases.ts'
import {
  sampleAnswer,
  sampleEnd,
  sampleMessage,
  sampleSessionChange,
  sampleThread,
  started,
} from '../../../src/testing/store-conformance/samples.ts'
import { createVault } from '../../../src/vault/vault.ts'

export type Deed =
  | { readonly do: 'thread'; readonly texts: readonly string[] }
  | {
      readonly do: 'turn'
      readonly text: string
      readonly events: number
      readonly costUsd: number
    }
  | { readonly do: 'job'; readonly text: string }
  | { readonly do: 'remove' }
  | { readonly do: 'object'; readonly name: string; readonly text: string }

export async function live(
  { store, pieces, directory }: { store: StoreWithWork; pieces: PieceStore; directory: string },
  deeds: readonly Deed[],
): Promise<void> {
  const vault = createVault(pieces)
  const threads: string[] = []
  for (const deed of deeds) {
    if (deed.do === 'thread') {
      const thread = sampleThread({ title: deed.texts[0] ?? null })
      await store.createThread(
        thread,
        deed.texts.map(text => sampleMessage({ text })),
      )
      threads.push(thread.id)
    } else if (deed.do === 'turn') {
      const { run, lease, session, threadId } = await started(store, threads.at(-1))
      await store.announceSession(lease, run.id, session)
      const events = Array.from({ length: deed.events }, (_, at) => ({
        at,
        type: 'text',
        json: JSON.stringify({ text: deed.text }),
      }))
      if (events.length > 0) await store.appendEvents(lease, run.id, events)
      const change = sampleSessionChange(session.id)
      const answer = sampleAnswer(run, deed.text)
      await store.endRun(lease, sampleEnd(run, { session: change, answer, costUsd: deed.costUsd }))
      await store.releaseLease(lease)
      const file = join(directory, 'session.jsonl')
      writeFileSync(file, `${JSON.stringify(deed.text)}\n`)
      await vault.keep(session, file)
      if (threads.at(-1) !== threadId) threads.push(threadId)
    } else if (deed.do === 'job') {
      const job = sampleJob({ prompt: deed.text })
      await store.submitJob(job, async () => {})
      await store.requestJobCancel(job.id, 2_000)
    } else if (deed.do === 'remove') {
      const id = threads.pop()
      if (id !== undefined) await store.removeThread(id).catch(() => {})
    } else {
      const owner = threads.at(-1) ?? 'thr_none'
      await vault.objects.put({ owner, name: deed.name }, Buffer.from(deed.text))
    }
  }
}
