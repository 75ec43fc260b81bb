// A ts block of a page that begins with `// examples/x.ts` holds that example, as it stands in the file.

const BLOCK = /^```ts\n\/\/ (examples\/[\w-]+\.ts)\n[\s\S]*?^```$/gm

export function withExamples(page: string, read: (path: string) => string): string {
  return page.replace(
    BLOCK,
    (_, path: string) => `\`\`\`ts\n// ${path}\n${read(path).trimEnd()}\n\`\`\``,
  )
}
