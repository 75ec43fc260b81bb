// The verbs for thread files that users call. What reads and writes them is loaded when it is first needed.
import type { Reprise } from '../../api.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'

type Verbs = Pick<Reprise['threads'], 'export' | 'import' | 'approve' | 'publicKey'>

export function threadFilesApi(
  ready: () => Promise<Dependencies>,
  show: (id: string) => ReturnType<Verbs['approve']>,
): Verbs {
  return {
    export: async (id, options = {}) => {
      const { exportThread } = await import('./export-thread.ts')
      return exportThread(await ready(), id, options)
    },
    import: async (content, options = {}) => {
      const begun = readAtOnce(content)
      const { importFile } = await import('./import-file.ts')
      return importFile(await ready(), begun, options)
    },
    approve: async id => {
      const { store, clock } = await ready()
      const isImported = await store.approveThread({ id, at: clock.now() })
      if (!isImported && (await store.thread(id)) !== null) throw notImported(id)
      return show(id)
    },
    publicKey: async () => {
      const { storeKey } = await import('./export-thread.ts')
      return (await storeKey(await ready())).publicKey
    },
  }
}

/** A stream of Node that fails while nobody reads it, such as one of a missing file, would end the process. */
function readAtOnce(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const pieces = content[Symbol.asyncIterator]()
  const first = pieces.next()
  first.catch(() => {}) // Its reader gets the error.
  return (async function* () {
    try {
      for (let piece = await first; !piece.done; piece = await pieces.next()) yield piece.value
    } finally {
      await pieces.return?.()
    }
  })()
}

function notImported(id: string): RepriseError {
  const hint = `It can go on as it is: reprise send -t ${id}.`
  return new RepriseError('conflict', `thread ${id} began here, so nobody has to approve it`, hint)
}
