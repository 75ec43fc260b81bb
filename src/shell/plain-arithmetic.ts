// Arithmetic of digits, operators and variables that hold numbers: bash can run nothing in it.

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

/** Whether the name only gets a value here and is not read. */
function isSet(text: string, from: number): boolean {
  return /^\s*=(?!=)/.test(text.slice(from, from + 20))
}

export function isSubscript(text: string, numbers: Numbers): boolean {
  return text === '@' || text === '*' || isPlain(text, numbers)
}

/** Variables of bash that read their value as arithmetic. */
export function isInteger(name: string): boolean {
  return /^(?:S?RANDOM|HISTCMD|OPTIND|SECONDS|LINENO|BASHPID|EPOCHSECONDS|BASH_SUBSHELL)$/.test(
    name,
  )
}
