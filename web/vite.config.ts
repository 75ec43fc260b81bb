// Builds the dashboard: one document, one script and one style; only the chart of Savings comes later.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))

export default defineConfig({
  root: here,
  base: '/',
  publicDir: false,
  plugins: [
    {
      // Nothing is painted before the script has set the theme.
      name: 'theme-before-paint',
      transformIndexHtml: {
        order: 'post',
        handler: html =>
          html.replace('<script type="module"', '<script type="module" blocking="render"'),
      },
    },
  ],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})
