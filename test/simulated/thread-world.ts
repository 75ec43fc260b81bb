// Threads on the fake agent in this process.
import type { FakeScript } from '../../src/testing/fake-agent/script.ts'
import { type ProcessOptions, processes } from './processes.ts'

export async function openThreads(script: FakeScript = [], options: ProcessOptions = {}) {
  const world = await processes(script)
  const { reprise, ...process } = world.open(options)
  const create = () => reprise.threads.create({ workDir: '/project' })
  return { world, reprise, create, ...process }
}

export async function conversation(...prompts: readonly string[]) {
  const opened = await openThreads()
  const thread = await opened.create()
  for (const prompt of prompts) await thread.send(prompt).result
  const texts = async () => (await thread.show()).messages.map(({ text }) => text)
  const idOf = async (text: string) =>
    (await thread.show()).messages.find(message => message.text === text)?.id ?? ''
  return { ...opened, thread, texts, idOf }
}
