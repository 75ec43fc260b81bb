// The npm package starts its native program from a script. To stop that script does not always stop the program, so Reprise starts the program.
import type { Files } from '../../core/world.ts'

const LAUNCHER = /^(.*)\/@openai\/codex\/bin\/codex\.js$/

/** npm installs only the package of this machine. */
const PLATFORMS: readonly (readonly [string, string])[] = [
  ['codex-linux-x64', 'x86_64-unknown-linux-musl'],
  ['codex-linux-arm64', 'aarch64-unknown-linux-musl'],
  ['codex-darwin-x64', 'x86_64-apple-darwin'],
  ['codex-darwin-arm64', 'aarch64-apple-darwin'],
]

/** `null`: the executable is no launcher, or its program is not there. */
export async function programBehind(executable: string, files: Files): Promise<string | null> {
  const [, modules] = LAUNCHER.exec(executable) ?? []
  if (modules === undefined) return null
  for (const [name, target] of PLATFORMS) {
    for (const root of [modules, `${modules}/@openai/codex/node_modules`]) {
      const program = `${root}/@openai/${name}/vendor/${target}/bin/codex`
      if ((await files.stat(program))?.kind === 'file') return program
    }
  }
  return null
}
