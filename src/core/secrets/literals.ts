// Is this value the secret itself? Code, types, placeholders and labels also follow names such as `password`.
import { looksRandom } from './tokens.ts'

export type Literal = {
  readonly text: string
  readonly start: number
  readonly end: number
  /**
   * `quoted`: between quotes. `given`: by a variable, a flag, a query or a tag, which hold nothing but values.
   * `bare`: what can also be code.
   */
  readonly form: 'quoted' | 'given' | 'bare'
  /** The character after a value without quotes. */
  readonly follower: string
}

const PLACEHOLDER =
  /^(?:[$<[{*%#]|\.{3}|(?:null|none|nil|true|false|undefined|unset|empty|string|str|text|number|int|integer|boolean|bool|bytes|any|object|required|optional|example|placeholder|password|passwd|secret|token|hidden|field|changeme|change-me|todo|redacted|masked|bearer|basic|default|self|this|env|no|yes|on|off)$|your[-_ ]|my[-_](?:password|secret|token|key)|(.)\1*$)/i
const REFERENCE = /^[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+$/
const PATH_OR_URL = /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|\.{0,2}\/|~\/|@)/i
const LABEL = /^[A-Z]?[a-z]*$/
const MIN_PASSWORD_CHARS = 4
const MIN_KEY_CHARS = 8
const MIN_LOGIN_CODE_CHARS = 32

export function isPassword(literal: Literal): boolean {
  const { text, form } = literal
  if (text.length < MIN_PASSWORD_CHARS || isSomethingElse(literal)) return false
  if (/\s/.test(text)) return form === 'quoted' && /\d/.test(text)
  if (form === 'given') return true
  if (form === 'quoted') return !/^[A-Z][a-z]+$/.test(text)
  return !LABEL.test(text) && (/\d/.test(text) || !/^[A-Za-z_$][\w$.]*$/.test(text))
}

export function isKey(literal: Literal): boolean {
  const { text, form } = literal
  if (text.length < MIN_KEY_CHARS || /\s/.test(text) || isSomethingElse(literal)) return false
  if (/^v?\d+(?:\.\d+)*$/.test(text)) return false
  const digits = text.replace(/\D/g, '').length
  const isMixed = /[A-Z]/.test(text) && /[a-z]/.test(text)
  if (digits === 0) return text.length >= 32 && isMixed && form === 'given'
  return form !== 'bare' || digits >= 2
}

/** The code that a login sends back in an address. `?code=404` is none: only long values without meaning are. */
export function isLoginCode({ text }: Literal): boolean {
  const isMixed = /\d/.test(text) && /[A-Za-z]/.test(text)
  return looksRandom(text) || (text.length >= MIN_LOGIN_CODE_CHARS && isMixed)
}

function isSomethingElse({ text, form, follower }: Literal): boolean {
  if (PLACEHOLDER.test(text)) return true
  if (PATH_OR_URL.test(text) && !looksRandom(text)) return true
  return form === 'bare' && (REFERENCE.test(text) || follower === '(' || follower === '[')
}
