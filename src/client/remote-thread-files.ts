// Threads that leave and enter as one file, over HTTP.
import type { ImportedThread, Reprise, ThreadDetails } from '../api.ts'
import type { FileHttp, Http } from './http.ts'

type Verbs = Pick<Reprise['threads'], 'export' | 'import' | 'approve' | 'publicKey'>

export function remoteThreadFiles(http: Http & FileHttp): Verbs {
  const pathOf = (id: string) => `/api/threads/${encodeURIComponent(id)}`
  return {
    export: async (id, { sessions, checkpoints, only } = {}) => {
      const { bytes, content } = await http.download(`${pathOf(id)}/file`, {
        query: { sessions: textOf(sessions), checkpoints: textOf(checkpoints), only },
      })
      return { threadId: id, bytes, content }
    },
    // The daemon decides about the trust of a caller who may only submit.
    import: (content, { workDir, trustKey, sessions } = {}) => {
      const query = { workDir, trustKey, sessions: textOf(sessions) }
      return http.upload<ImportedThread>('/api/threads/import', content, { query })
    },
    approve: id => http.ask<ThreadDetails>('POST', `${pathOf(id)}/approve`, { body: {} }),
    publicKey: async () => (await http.ask<{ publicKey: string }>('GET', '/api/key')).publicKey,
  }
}

function textOf(flag: boolean | undefined): string | undefined {
  return flag === undefined ? undefined : String(flag)
}
