// A copy of a thread in a repository begins with the files that the thread kept last.
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import type { Dependencies } from '../dependencies.ts'
import { namesForCopy } from './kept-names.ts'

export async function copyKept(
  { store, vault }: Dependencies,
  thread: Pick<ThreadRecord, 'id'>,
  copyId: string,
): Promise<void> {
  const owner = (await store.jobOfThread(thread.id))?.id ?? thread.id
  const names = (await vault.objects.list(owner)).map(({ name }) => name)
  for (const [name, copied] of namesForCopy(names)) {
    const bytes = await vault.objects.get({ owner, name })
    // An emptied one was replaced by a later one that holds all of it.
    if (bytes?.byteLength) await vault.objects.put({ owner: copyId, name: copied }, bytes)
  }
}
