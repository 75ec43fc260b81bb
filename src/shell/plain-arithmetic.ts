// Arithmetic of digits, operators and variables that hold numbers: there is nothing in it that bash could run.

/** Names of variables that hold numbers. */
export type Numbers = ReadonlySet<string>

const TOKEN =
  /\s+|0[xX][\da-fA-F]+|\d+#?|\$[#?$!]|\$\{#\w+(?:\[[@*]\])?\}|([A-Za-z_]\w*)|\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\}|[-+*/%<>=!&|^~?:,();]/y

export function isPlain(text: string, numbers: Numbers): boolean {
  const bare = text.replace(/["']/g, '')
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < bare.length) {
    const token = TOKEN.exec(bare)
    if (token === null) return false
    const [, bareName, ...expanded] = token
    const name = bareName ?? expanded.find(found => found !== undefined)
    if (name === undefined || numbers.has(name)) continue
    if (bareName === undefined || !isSet(bare, TOKEN.lastIndex)) return false
  }
  return true
}

/** What is only given a value is not looked at. */
function isSet(text: string, from: number): boolean {
  return /^\s*=(?!=)/.test(text.slice(from, from + 20))
}

export function isSubscript(text: string, numbers: Numbers): boolean {
  return text === '@' || text === '*' || isPlain(text, numbers)
}

/** Variables of bash that take what they are given for arithmetic. */
export function isInteger(name: string): boolean {
  return /^(?:S?RANDOM|HISTCMD|OPTIND|SECONDS|LINENO|BASHPID|EPOCHSECONDS|BASH_SUBSHELL)$/.test(
    name,
  )
}
