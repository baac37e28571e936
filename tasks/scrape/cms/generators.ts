import type { Example, System } from './system.ts'

/** A generator of static sites, which is told by its own mark. */
const generated = (name: string, generator: RegExp, mark: string, ...bad: Example[]): System => ({
  name,
  generator,
  examples: { good: [`<meta name="generator" content="${mark}">`], bad: [`<p>${mark}</p>`, ...bad] },
})

/** Systems that write static files. */
export const generators: readonly System[] = [
  generated('Hugo', /^Hugo \d/, 'Hugo 0.148.1', '<meta name="generator" content="Hugo Boss">'),
  {
    name: 'Jekyll',
    generator: /^Jekyll v?\d/,
    markup: /<!-- Begin Jekyll SEO tag /,
    examples: {
      good: ['<meta name="generator" content="Jekyll v4.3.3">', '<!-- Begin Jekyll SEO tag v2.8.0 -->'],
      bad: ['<p>Dr Jekyll', '<meta name="author" content="Jekyll v4">'],
    },
  },
  {
    name: 'Gatsby',
    generator: /^Gatsby \d/,
    markup: /<div [^>]*id="___gatsby"/,
    examples: {
      good: ['<meta name="generator" content="Gatsby 5.13.3">', '<div id="___gatsby"><p>Lake</p></div>'],
      bad: ['<p>The Great Gatsby', '<div id="gatsby">'],
    },
  },
  {
    name: 'Docusaurus',
    generator: /^Docusaurus\b/,
    markup: /<meta [^>]*name="docusaurus_(?:locale|version|tag)"/,
    examples: {
      good: [
        '<meta name="generator" content="Docusaurus v3.8.1">',
        '<meta name="docusaurus_locale" content="en">',
      ],
      bad: ['<p>Docusaurus v3'],
    },
  },
  generated('Eleventy', /^Eleventy v?\d/, 'Eleventy v3.1.2'),
  generated(
    'Astro',
    /^(?:Astro|Starlight) v?\d/,
    'Astro v5.12.0',
    '<meta name="generator" content="Astronomy 1">',
  ),
  generated('Hexo', /^Hexo \d/, 'Hexo 7.3.0'),
  {
    name: 'Sphinx',
    loads: /\/_static\/(?:documentation_options|doctools|sphinx_highlight)\.js/,
    examples: {
      good: ['<script src="_static/documentation_options.js?v=1"></script>'],
      bad: ['<p>Sphinx', '<script src="/_static/app.js"></script>'],
    },
  },
]
