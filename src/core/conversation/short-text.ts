// Cuts a long text to its beginning and its end, and says how much is missing between them.

export function shortText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const half = Math.floor(maxChars / 2)
  const cut = text.length - 2 * half
  return `${text.slice(0, half)}… (${cut} characters left out) …${text.slice(-half)}`.toWellFormed()
}
