// Markdown of agents as elements. Text never becomes markup, and nothing is loaded: images and foreign links are text until one clicks.
import { type MarkedToken, marked, type Token } from 'marked'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'

/** Longer texts are shown as they are: nobody reads them rendered, and the lexer would block the page. */
const MOST_CHARS = 200_000

export function Markdown({ text }: { readonly text: string }) {
  // A thread is drawn again with every event: its answers are read once.
  const tokens = useMemo(() => (text.length > MOST_CHARS ? null : marked.lexer(text)), [text])
  if (tokens === null) return <pre class="code wrap">{text}</pre>
  return (
    <div class="prose" dir="auto">
      {blocks(tokens)}
    </div>
  )
}

function blocks(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token, index) => <Block key={index} token={token as MarkedToken} />)
}

function Block({ token }: { readonly token: MarkedToken }) {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return <h4>{inlines(token.tokens)}</h4>
    case 'paragraph':
      return <p>{inlines(token.tokens)}</p>
    case 'code':
      return (
        <pre class="code" tabIndex={0}>
          {token.text}
        </pre>
      )
    case 'blockquote':
      return <blockquote>{blocks(token.tokens)}</blockquote>
    case 'list': {
      const items = token.items.map((item, index) => <li key={index}>{blocks(item.tokens)}</li>)
      return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>
    }
    case 'table':
      return (
        <table>
          <thead>
            <tr>
              {token.header.map((cell, index) => (
                <th key={index}>{inlines(cell.tokens)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {token.rows.map((row, index) => (
              <tr key={index}>
                {row.map((cell, column) => (
                  <td key={column}>{inlines(cell.tokens)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )
    case 'hr':
      return <hr />
    case 'text':
      return <p>{token.tokens ? inlines(token.tokens) : token.text}</p>
    default:
      // HTML and whatever the lexer may learn: the text as it was written.
      return <p>{token.raw}</p>
  }
}

function inlines(tokens: readonly Token[] = []): ComponentChildren {
  return tokens.map((token, index) => <Inline key={index} token={token as MarkedToken} />)
}

function Inline({ token }: { readonly token: MarkedToken }) {
  switch (token.type) {
    case 'strong':
      return <strong>{inlines(token.tokens)}</strong>
    case 'em':
      return <em>{inlines(token.tokens)}</em>
    case 'del':
      return <del>{inlines(token.tokens)}</del>
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return <Outside href={token.href}>{inlines(token.tokens)}</Outside>
    case 'image':
      return <Outside href={token.href}>{`image: ${token.text || token.href}`}</Outside>
    case 'text':
      return <>{token.tokens ? inlines(token.tokens) : unescaped(token.text)}</>
    case 'escape':
      return <>{unescaped(token.text)}</>
    default:
      return <>{token.raw}</>
  }
}

/** Opens only what a person clicks, without telling the other side where from. Other schemes stay text. */
function Outside({
  href,
  children,
}: {
  readonly href: string
  readonly children: ComponentChildren
}) {
  if (!/^https?:\/\//i.test(href)) return <span title={href}>{children}</span>
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

const NAMED: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** The lexer escapes text for HTML; an element needs it as it was written. */
function unescaped(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, entity => NAMED[entity] ?? entity)
}
