import type { System } from './system.ts'

/** Forums, wikis and learning platforms. */
export const communities: readonly System[] = [
  {
    name: 'MediaWiki',
    generator: /^MediaWiki \d/,
    loads: /\/load\.php\?[^\s]*modules=/,
    examples: {
      good: [
        '<meta name="generator" content="MediaWiki 1.43.0-wmf.5">',
        '<link rel="stylesheet" href="/w/load.php?lang=en&amp;modules=site.styles&amp;only=styles">',
      ],
      bad: ['<p>MediaWiki 1.43', '<script src="/load.php?id=1"></script>'],
    },
  },
  {
    name: 'DokuWiki',
    generator: /^DokuWiki\b/,
    cookie: /^DokuWiki$/,
    loads: /\/lib\/exe\/(?:css|js)\.php/,
    examples: {
      good: ['<meta name="generator" content="DokuWiki">', { setCookies: ['DokuWiki=x; path=/'] }],
      bad: ['<p>DokuWiki'],
    },
  },
  {
    name: 'Discourse',
    generator: /^Discourse \d/,
    headers: { 'x-discourse-route': /./ },
    examples: {
      good: ['<meta name="generator" content="Discourse 3.4.0 - https://github.com/discourse/discourse">'],
      bad: ['<p>Discourse 3.4', '<meta name="generator" content="Discourse">'],
    },
  },
  {
    name: 'phpBB',
    cookie: /^phpbb\d?_\w+_(?:sid|u|k)$/,
    loads: /\/styles\/prosilver\//,
    markup: /<body [^>]*id="phpbb"/,
    examples: {
      good: [
        { setCookies: ['phpbb3_abc12_sid=x; path=/'] },
        '<body id="phpbb" class="nojs notouch section-index ltr">',
      ],
      bad: ['<p>phpBB', '<div id="phpbb">'],
    },
  },
  {
    name: 'vBulletin',
    generator: /^vBulletin\b/,
    cookie: /^bb_(?:lastvisit|lastactivity|sessionhash)$/,
    examples: {
      good: [
        '<meta name="generator" content="vBulletin 5.7.5">',
        { setCookies: ['bb_sessionhash=x; path=/'] },
      ],
      bad: ['<p>vBulletin 5.7.5', { setCookies: ['lastvisit=1; path=/'] }],
    },
  },
  {
    name: 'XenForo',
    cookie: /^xf_(?:csrf|session|user)$/,
    markup: /<html [^>]*id="XF"/,
    examples: {
      good: [{ setCookies: ['xf_csrf=x; path=/; secure'] }, '<html id="XF" lang="en-US" data-app="public">'],
      bad: ['<p>XenForo', '<div id="XF">'],
    },
  },
  {
    name: 'Moodle',
    cookie: /^MoodleSession\w*$/,
    loads: /\/(?:lib\/javascript|theme\/(?:yui_combo|styles|javascript))\.php\//,
    examples: {
      good: [
        { setCookies: ['MoodleSession=x; path=/'] },
        '<script src="https://example.test/lib/javascript.php/1720000000/lib/polyfills/polyfill.js"></script>',
      ],
      bad: ['<p>Moodle', '<script src="/lib/javascript.js"></script>'],
    },
  },
]
