// Texts that a repository, an agent or a stranger could bring into a page to take it over, and what they would leave there.
import type { Page } from 'playwright-core'

const EVIL = 'window.attacked=1'
const ELSEWHERE = 'http://127.0.0.1:1/stolen'

export const MARKUP = [
  `<script>${EVIL}</script>`,
  `<img src=x onerror="${EVIL}">`,
  `<svg onload=${EVIL}>`,
  `<iframe srcdoc="<script>parent.${EVIL}</script>"></iframe>`,
  `<a href="javascript:${EVIL}">x</a>`,
  `<style>@import "${ELSEWHERE}"</style>`,
  `<link rel=stylesheet href=${ELSEWHERE}>`,
  `<base href=${ELSEWHERE}>`,
  `<form action=${ELSEWHERE}><button>x</button></form>`,
  `<meta http-equiv=refresh content="0;url=${ELSEWHERE}">`,
  `<object data=${ELSEWHERE}></object>`,
  `<video src=${ELSEWHERE} onerror=${EVIL}></video>`,
  `<details open ontoggle=${EVIL}>x</details>`,
  `<input autofocus onfocus=${EVIL}>`,
  `<math><mtext><script>${EVIL}</script></mtext></math>`,
]
const MARKDOWN = [
  `![x](${ELSEWHERE}.png)`,
  `[x](javascript:${EVIL})`,
  `[x](data:text/html,<script>${EVIL}</script>)`,
  `<${ELSEWHERE}>`,
  `[x]: ${ELSEWHERE}\n\n![x][x]`,
  `| a |\n| --- |\n| <img src=${ELSEWHERE}> |`,
  `> <script>${EVIL}</script>`,
  `1. ![x](${ELSEWHERE} "onerror=${EVIL}")`,
  `\`\`\`html\n<script>${EVIL}</script>\n\`\`\``,
  `**<img src=x onerror=${EVIL}>**`,
]
const OTHERS = [
  '{{constructor.constructor("window.attacked=1")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it must reach the page as it is.
  '${window.attacked=1}',
  '"]\'});window.attacked=1//',
  '\u202Eevil\u202C',
  '</textarea><script>window.attacked=1</script>',
]
export const KINDS = [...MARKUP, ...MARKDOWN, ...OTHERS]
const AROUND: readonly ((text: string) => string)[] = [
  text => text,
  text => `words before ${text} and after`,
  text => `# ${text}`,
  text => `- ${text}\n- ${text}`,
]
/** 120 texts that a repository, an agent or a stranger could bring into a page. */
export const PAYLOADS = AROUND.flatMap(around => KINDS.map(around))

/** What a script of theirs did, and elements that only their markup has. */
export function attacksOn(page: Page): Promise<unknown> {
  return page.evaluate(
    `({ attacked: window.attacked, foreign: document.querySelectorAll('iframe,object,embed,base,form[action],video').length })`,
  )
}
