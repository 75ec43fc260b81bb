// The fake model API in a process of its own, so that answering takes no time away from whoever is measured.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startModelApi, textReply } from '../src/testing/index.ts'

const ANSWER = 'The file is there and says what it should. '.repeat(8)

export type ApiProcess = { readonly url: string; stop(): void }

/** Gives every turn the same answer, at once. */
export async function startApiProcess(): Promise<ApiProcess> {
  const child = fork(fileURLToPath(import.meta.url), ['--serve'])
  const [url] = (await once(child, 'message')) as [string]
  return { url, stop: () => child.disconnect() }
}

if (process.argv[2] === '--serve' && process.send) {
  const api = await startModelApi()
  api.respond(() => textReply(ANSWER))
  process.send(api.url)
  process.on('disconnect', () => void api.close())
}
