// Whether two runs have the same tools: the model reads the list of tools first, so that another list makes its cache useless.

/** To take a whole tool away changes what the model reads first; a rule about its commands does not. */
export function sameWholeTools(a: readonly string[], b: readonly string[]): boolean {
  return wholeTools(a) === wholeTools(b)
}

function wholeTools(rules: readonly string[]): string {
  return rules
    .filter(rule => !rule.includes('('))
    .toSorted()
    .join()
}
