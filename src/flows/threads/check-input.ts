// Refuses bad input before anything is stored, with a hint what to do.
import { CARRIES, type Carry } from '../../core/chain/carry.ts'
import type { View } from '../../core/conversation/messages.ts'
import type { Files } from '../../core/world.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'

const MAX_TEXT_BYTES = 4 * 1024 * 1024

/** Gives the text as written, except for lone surrogates, which no encoding can carry. */
export function checkedPrompt(prompt: string): string {
  const hint = 'Give the prompt as an argument of `reprise send`, or as `prompt` of the request.'
  return notBlank('the prompt', { text: checkedText('prompt', prompt), hint })
}

/** The new text of a message, of a user or an agent. */
export function checkedMessage(given: string): string {
  const hint =
    'Write the new text; to drop the message and all later ones, run `reprise threads truncate`.'
  return notBlank('the new text', { text: checkedText('message', given), hint })
}

function notBlank(what: string, { text, hint }: { text: string; hint: string }): string {
  if (text.trim() !== '') return text
  throw new RepriseError('bad-input', `${what} is ${text === '' ? 'empty' : 'blank'}`, hint)
}

export function refuseBadBudget(budgetUsd: number | undefined): void {
  if (budgetUsd === undefined || (budgetUsd > 0 && Number.isFinite(budgetUsd))) return
  const what = `a budget of ${budgetUsd} dollars lets nothing run`
  throw new RepriseError('bad-input', what, 'Give a number over 0 as --budget or `budgetUsd`.')
}

export function checkedView(view: View): View {
  if (view === 'all' || view === 'own') return view
  throw new RepriseError(
    'bad-input',
    `there is no view ${String(view)}`,
    'Use `all` or `own` as `view`.',
  )
}

/** Programs without types can say anything. */
export function refuseBadCarry(carry: Carry | undefined): void {
  if (carry === undefined || CARRIES.includes(carry)) return
  const what = `\`carry\` is ${JSON.stringify(carry)}`
  throw new RepriseError('bad-input', what, `Use one of ${CARRIES.join(', ')}.`)
}

const MAX_TITLE_CHARACTERS = 1_000

/** One line. */
export function checkedTitle(given: string): string {
  const title = checkedText('title', given).replace(/\s+/g, ' ').trim()
  const [what, hint] =
    title === ''
      ? ['the title is empty', 'Write a few words.']
      : title.length > MAX_TITLE_CHARACTERS
        ? [`the title has ${title.length} characters`, `Use at most ${MAX_TITLE_CHARACTERS}.`]
        : [null, '']
  if (what === null) return title
  throw new RepriseError('bad-input', what, hint)
}

/** Also checks that the value is a string: callers of the library may write JavaScript. */
export function checkedText(
  what: 'prompt' | 'instructions' | 'message' | 'title',
  given: string,
): string {
  if (typeof given !== 'string') {
    throw new RepriseError('bad-input', `no text for the ${what}: ${given}`, 'Give a string.')
  }
  const text = given.toWellFormed()
  const nul = text.indexOf('\0')
  if (nul >= 0) {
    throw new RepriseError(
      'bad-input',
      `there is a NUL character at position ${nul} of the ${what}`,
      'Remove it; if this is binary data, put it into a file and name the file.',
    )
  }
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_TEXT_BYTES) return text
  throw new RepriseError(
    'bad-input',
    `${bytes} bytes are too many for the ${what}; the limit is ${MAX_TEXT_BYTES}`,
    'Put large content into a file in the work dir and name the file in the prompt.',
  )
}

/** Gives the real path of an existing directory outside our data directory. */
export async function checkedWorkDir(
  { files, dataDir }: Pick<Dependencies, 'files' | 'dataDir'>,
  workDir: string,
): Promise<string> {
  const real = typeof workDir === 'string' ? await files.realpath(workDir) : null
  if (real === null) {
    throw new RepriseError(
      'bad-input',
      `the work dir ${workDir} does not exist or cannot be reached`,
      'Create it, or give another one (--cwd DIR).',
    )
  }
  const ours = dataDir === undefined ? null : await files.realpath(dataDir)
  if (ours !== null && `${real}/`.startsWith(`${ours}/`)) throw ownDirectory(workDir)
  const why = await whyUnusable(files, real)
  if (why === null) return real
  throw new RepriseError(
    'bad-input',
    `the work dir ${workDir} ${why}`,
    'Give a directory that you may read and enter (--cwd DIR).',
  )
}

async function whyUnusable(files: Files, directory: string): Promise<string | null> {
  if ((await files.stat(directory))?.kind !== 'directory') return 'is not a directory'
  if ((await files.list(directory)) === null) return 'cannot be read'
  // A user who may list a directory but not enter it cannot even stat `.` in it.
  return (await files.stat(`${directory}/.`)) === null ? 'cannot be entered' : null
}

/** An agent with this work dir could read the token and change the records. */
function ownDirectory(workDir: string): RepriseError {
  return new RepriseError(
    'bad-input',
    `the work dir ${workDir} is where Reprise keeps its own data`,
    'Give the directory of a project (--cwd DIR).',
  )
}

export function noCursor(
  cursor: string,
  kind: 'thread' | 'run' | 'chain' | 'job' | 'question',
): RepriseError {
  const what = `the list cannot go on after ${cursor}: there is no such ${kind}`
  return new RepriseError('bad-input', what, 'Start again without `cursor`.')
}
