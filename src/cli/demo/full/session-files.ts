// What happens to the agents' own session files in the full demo: one is lost, one is damaged, one is continued by somebody else.
import { execFile } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { StoryWorld } from './story-world.ts'

/** The file and our copy of it are gone. */
export async function loseSession(world: StoryWorld, sessionId: string): Promise<void> {
  await rm(await pathOf(world, sessionId))
  await loseCopy(world, sessionId)
}

/** The file alone is gone, so our copy is restored. */
export async function loseSessionFile(world: StoryWorld, sessionId: string): Promise<void> {
  await rm(await pathOf(world, sessionId))
}

/** The last line of the file ends in its middle, and our copy is gone. */
export async function damageSession(world: StoryWorld, sessionId: string): Promise<void> {
  const path = await pathOf(world, sessionId)
  const content = await readFile(path, 'utf8')
  const lastLine = content.trimEnd().lastIndexOf('\n') + 1
  await writeFile(path, content.slice(0, lastLine + Math.floor((content.length - lastLine) / 2)))
  await loseCopy(world, sessionId)
}

/** Somebody runs the agent on the session without Reprise. */
export async function continueElsewhere(
  world: StoryWorld,
  session: { readonly sessionId: string; readonly workDir: string; readonly prompt: string },
): Promise<void> {
  const { sessionId, workDir, prompt } = session
  const args = ['-p', '--output-format', 'stream-json', '--verbose', '--resume', sessionId, prompt]
  const env = { PATH: process.env.PATH, CLAUDE_CONFIG_DIR: world.path('agent') }
  const done = promisify(execFile)(world.path('claude'), args, { cwd: workDir, env })
  done.child.stdin?.end()
  await done
}

async function loseCopy(world: StoryWorld, sessionId: string): Promise<void> {
  const vault = join(world.home, 'vault')
  for (const agent of await readdir(vault))
    await rm(join(vault, agent, sessionId), { recursive: true, force: true })
}

async function pathOf(world: StoryWorld, sessionId: string): Promise<string> {
  const projects = world.path('agent/projects')
  for (const project of await readdir(projects)) {
    const names = await readdir(join(projects, project))
    if (names.includes(`${sessionId}.jsonl`)) return join(projects, project, `${sessionId}.jsonl`)
  }
  throw new Error(`the demo has no file of the session ${sessionId}`)
}
