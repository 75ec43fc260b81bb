// Which names of variables, fields, flags and headers announce a secret.

/**
 * `password`: people choose it, so it may look like anything.
 * `key`: machines make it, so it looks random.
 */
export type SecretKind = 'password' | 'key'

const PASSWORD = /(?:password|passwd|passphrase|secret|_pass|^pwd|_pwd)(?:_\d{1,3})?$/
const KEY =
  /(?:token|api_?key|(?:access|secret|private|auth|account|encryption|signing|shared|master|license|subscription|storage|service|deploy|admin|webhook|hmac|jwt)_?key|credentials?|(?:^|_)(?:pat|auth|sas|authorization)|secret_?access_?key)(?:_\d{1,3})?$/
/** For environment variables: capitals, with more words after the name. */
const VARIABLE = /(?:^|_)(?:password|passwd|secret|token|credentials?|apikey|api_key|key)(?:_|$)/
/** Names of variables that describe a secret and do not hold it. */
const ABOUT =
  /(?:^|_)(?:url|uri|file|path|dir|name|id|type|length|len|size|count|limit|expires?|expiry|ttl|algorithm|version|host|port|region|enabled|policy|prefix|suffix|header|public|publishable|budget|max|min)(?:_|$)/

export function secretKind(name: string): SecretKind | null {
  const parts = normalised(name)
  if (PASSWORD.test(parts)) return 'password'
  if (KEY.test(parts)) return 'key'
  return isVariable(name) && VARIABLE.test(parts) && !ABOUT.test(parts) ? 'key' : null
}

export function isVariable(name: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(name)
}

/** `dbPassword`, `DB-Password` and `DB_PASSWORD` are one. */
function normalised(name: string): string {
  return name
    .slice(-80)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/-/g, '_')
    .toLowerCase()
}
