// How long something takes, as people say it.

/** `3 s`, `2 min 5 s`, `1 h 10 min`, `2 d 4 h`. */
export function durationWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return joined(`${minutes} min`, seconds % 60, 's')
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return joined(`${hours} h`, minutes % 60, 'min')
  return joined(`${Math.floor(hours / 24)} d`, hours % 24, 'h')
}

/** How long something took that is over: `0.3 s`, then as `durationWords`. */
export function tookWords(ms: number): string {
  return ms < 9_950 ? `${(Math.max(0, ms) / 1_000).toFixed(1)} s` : durationWords(ms)
}

function joined(whole: string, rest: number, unit: string): string {
  return rest === 0 ? whole : `${whole} ${rest} ${unit}`
}
