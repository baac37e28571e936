import type { PageCheck } from './check.ts'

const MANY = 1000

export const linkChecks: PageCheck[] = [
  {
    code: 'link_malformed',
    severity: 'moderate',
    about:
      'A link has an address that cannot be followed: mistyped scheme, backslash, or no valid address at all.',
    fix: 'Correct the address of the link.',
    finds: ({ facts }) => facts.malformed > 0,
    examples: {
      bad: [
        '<a href="htp://example.test/">a</a>',
        '<a href="https://">a</a>',
        '<a href="\\a\\b">a</a>',
        '<a href="www.example.test:80/a">a</a>',
      ],
      good: [
        '<a href="/a?b=\\c">a</a>',
        '<a href="mailto:a@example.test">a</a>',
        '<a href="tel:+39">a</a>',
        '<a href="whatsapp://send">a</a>',
        '<a href="">a</a>',
      ],
    },
  },
  {
    code: 'link_localhost',
    severity: 'moderate',
    about: 'A link leads to localhost or to an address of a private network.',
    fix: 'Replace the address with the public one.',
    finds: ({ links }) => links.local > 0,
    examples: {
      bad: [
        '<a href="http://localhost:3000/">a</a>',
        '<a href="http://192.168.1.2/a">a</a>',
        '<a href="http://[::1]/">a</a>',
        '<a href="http://127.0.0.1/">a</a>',
      ],
      good: [
        '<a href="http://8.8.8.8/">a</a>',
        '<a href="/localhost">a</a>',
        { url: 'http://127.0.0.1:8080/', html: '<a href="http://localhost:3000/">a</a>' },
      ],
    },
  },
  {
    code: 'link_insecure',
    severity: 'minor',
    about: 'An https page links to an http address.',
    fix: 'Link to the https address.',
    finds: ({ links }) => links.insecure > 0,
    examples: {
      bad: ['<a href="http://example.test/b">a</a>'],
      good: [
        '<a href="https://example.test/b">a</a>',
        { url: 'http://example.test/', html: '<a href="/b">b</a>' },
      ],
    },
  },
  {
    code: 'link_nofollow_internal',
    severity: 'minor',
    about: 'A link to a page of the same site is marked nofollow.',
    fix: 'Remove nofollow from links within the site.',
    finds: ({ links }) => links.nofollow > 0,
    examples: {
      bad: [
        '<a href="/b" rel="external NOFOLLOW">b</a>',
        '<meta name="robots" content="nofollow"><a href="/b">b</a>',
      ],
      good: ['<a href="/b" rel="noopener">b</a>', '<a href="https://other.test/" rel="nofollow">b</a>'],
    },
  },
  {
    code: 'links_too_many',
    severity: 'minor',
    about: 'The page has more than 1000 links.',
    fix: 'Cut the links to those that visitors need, and spread long lists over several pages.',
    finds: ({ links }) => links.internal + links.external > MANY,
    examples: { bad: ['<a href="/b">b</a>'.repeat(1001)], good: ['<a href="/b">b</a>'.repeat(1000)] },
  },
  {
    code: 'links_none',
    severity: 'moderate',
    of: 'indexable',
    about: 'The page is a dead end: it links to no other page.',
    fix: 'Link to related pages, or to the page above this one.',
    finds: ({ links, facts }) => links.outgoing === 0 && facts.frames === 0,
    examples: {
      bad: ['<p>text</p>', '<a href="#top">top</a><a href="javascript:history.back()">back</a>'],
      good: [
        '<a href="/b">b</a>',
        '<map><area href="/b" alt="b"></map>',
        '<a href="https://other.test/">o</a>',
        '<frameset><frame src=a></frameset>',
      ],
    },
  },
  {
    code: 'link_text_empty',
    severity: 'minor',
    about: 'A link has no text, alternative text or label.',
    fix: 'Give the link a text, its image an alternative text, or the link an aria-label.',
    finds: ({ links }) => links.unnamed > 0,
    examples: {
      bad: [
        '<a href="/b"></a>',
        '<a href="/b"><img src=a alt=""></a>',
        '<a href="/b"><i class="icon"></i></a>',
      ],
      good: [
        '<a href="/b">b</a>',
        '<a href="/b"><img src=a alt="Home"></a>',
        '<a href="/b" aria-label="Home"></a>',
        '<a href="/b" title="Home"><i></i></a>',
        '<a href="/b"><svg><title>Home</title></svg></a>',
        '<a href="/b" aria-hidden="true"></a>',
        '<a href="/b"><h2>Heading</h2></a>',
        '<noscript><a href="/b"><img src=a></a></noscript>',
      ],
    },
  },
  {
    code: 'link_text_generic',
    severity: 'minor',
    about: 'The text of a link does not say where it leads, such as "click here".',
    fix: 'Put the subject of the target into the text of the link.',
    finds: ({ links }) => links.vague > 0,
    examples: {
      bad: [
        '<a href="/b">Click here</a>',
        '<html lang="it"><a href="/b">Leggi tutto »</a>',
        '<html lang=fr-CA><a href="/b">En savoir plus…</a>',
      ],
      good: [
        '<a href="/b">More about shoes</a>',
        '<html lang="en"><a href="/b">Qui</a>',
        '<a href="/b" aria-label="Shoes: details">details</a>',
      ],
    },
  },
  {
    code: 'link_not_crawlable',
    severity: 'minor',
    about: 'A link has no address, or a script instead of one: crawlers cannot follow it.',
    fix: 'Give the link a real address in href, and use a button for actions.',
    finds: ({ facts }) => facts.uncrawlable > 0,
    examples: {
      bad: [
        '<a onclick="go()">b</a>',
        '<a href="javascript:void(0)">b</a>',
        '<a href=" JavaScript:go()">b</a>',
      ],
      good: [
        '<a href="/b">b</a>',
        '<a name="top"></a>',
        '<a id="top"></a>',
        '<a role="button">b</a>',
        '<a href="#">b</a>',
      ],
    },
  },
  {
    code: 'link_to_resource',
    severity: 'minor',
    about: 'A link leads to an image, style sheet or script instead of a page.',
    fix: 'Link to a page that shows the resource, or embed it.',
    finds: ({ links }) => links.resources > 0,
    examples: {
      bad: ['<a href="/a.JPG?x=1">a</a>', '<a href="/site.css">a</a>'],
      good: ['<a href="/a.pdf">a</a>', '<a href="/jpg">a</a>'],
    },
  },
  {
    code: 'link_tracking_internal',
    severity: 'minor',
    about: 'A link within the site carries campaign parameters: visits lose their true origin.',
    fix: 'Remove the campaign parameters from links within the site and count clicks with events.',
    finds: ({ links }) => links.tracking > 0,
    examples: {
      bad: ['<a href="/b?utm_source=home">b</a>', '<a href="/b?a=1&amp;gclid=2">b</a>'],
      good: ['<a href="https://other.test/?utm_source=us">b</a>', '<a href="/b?q=utm">b</a>'],
    },
  },
  {
    code: 'link_target_blank_unsafe',
    severity: 'minor',
    about: 'A link opens another site in a new window without noopener or noreferrer.',
    fix: 'Add `rel="noopener"` to the link.',
    finds: ({ links }) => links.opener > 0,
    examples: {
      bad: ['<a href="https://other.test/" target="_blank">o</a>'],
      good: [
        '<a href="https://other.test/" target="_BLANK" rel="noopener">o</a>',
        '<a href="/b" target="_blank">b</a>',
        '<a href="https://other.test/">o</a>',
      ],
    },
  },
]
