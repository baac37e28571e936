import type { System } from './system.ts'

/** Hosted systems in which sites are put together. */
export const builders: readonly System[] = [
  {
    name: 'Wix',
    generator: /^Wix\.com\b/,
    headers: { server: /^Pepyaka/, 'x-wix-request-id': /./, 'x-wix-renderer-server': /./ },
    loads: /\/\/static\.parastorage\.com\//,
    host: /\.(?:wixsite|editorx)\.(?:com|io)$/,
    examples: {
      good: [
        '<meta name="generator" content="Wix.com Website Builder">',
        { headers: { 'x-wix-request-id': '1720000000.1' } },
        '<script src="https://static.parastorage.com/services/wix-thunderbolt/dist/main.js"></script>',
      ],
      bad: ['<p>Wix.com Website Builder', '<img src="https://static.wixstatic.com/media/lake.jpg">'],
    },
  },
  {
    name: 'Squarespace',
    headers: { server: /^Squarespace$/ },
    cookie: /^ss_cv(?:r|t|isit)$/,
    loads: /\/\/(?:static1?|assets)\.squarespace\.com\//,
    markup: /<!-- This is Squarespace\. -->|Static\.SQUARESPACE_CONTEXT = /,
    host: /\.squarespace\.com$/,
    examples: {
      good: [
        { headers: { server: 'Squarespace' } },
        '<!-- This is Squarespace. --><!-- lake-otter -->',
        '<script src="//assets.squarespace.com/universal/scripts-compressed/common.js"></script>',
        '<script>Static.SQUARESPACE_CONTEXT = {"a":1};</script>',
      ],
      bad: ['<p>This is Squarespace.', '<img src="https://images.squarespace-cdn.com/lake.jpg">'],
    },
  },
  {
    name: 'Webflow',
    generator: /^Webflow$/,
    loads: /\/\/(?:assets|cdn|uploads-ssl)(?:\.prod)?\.(?:website-files|webflow)\.com\/[^\s]+\.(?:css|js)/,
    markup: /<html [^>]*data-wf-(?:site|page|domain)="/,
    host: /\.webflow\.io$/,
    examples: {
      good: [
        '<meta content="Webflow" name="generator">',
        '<html data-wf-page="1" data-wf-site="2">',
        '<link rel="stylesheet" href="https://cdn.prod.website-files.com/1/css/lake.webflow.css">',
      ],
      bad: [
        '<p>Webflow',
        '<div data-wf-page="1">',
        '<img src="https://cdn.prod.website-files.com/1/lake.jpg">',
      ],
    },
  },
  {
    name: 'GoDaddy Website Builder',
    generator: /Go Daddy Website Builder/,
    headers: { 'dps-site-id': /./ },
    loads: /\/\/img1\.wsimg\.com\/(?:blobby\/go|poly\/v)/,
    host: /\.godaddysites\.com$/,
    examples: {
      good: [
        '<meta name="generator" content="Starfield Technologies; Go Daddy Website Builder 8.0.0000">',
        '<script src="https://img1.wsimg.com/blobby/go/1/gpub/2/script.js"></script>',
      ],
      bad: ['<p>Go Daddy Website Builder', '<img src="https://img1.wsimg.com/isteam/ip/1/lake.jpg">'],
    },
  },
  {
    name: 'Weebly',
    loads: /\/\/cdn\d?\.editmysite\.com\//,
    host: /\.weebly\.com$/,
    examples: {
      good: ['<link rel="stylesheet" href="//cdn2.editmysite.com/css/sites.css?buildTime=1">'],
      bad: ['<p>Weebly', '<a href="https://lake.weebly.com/">Lake</a>'],
    },
  },
  {
    name: 'Jimdo',
    loads:
      /\/\/(?:assets|u|cdn)\.(?:jimstatic|jimcdn)\.com\/|\/\/jimdo-(?:storage|dolphin-static-assets-prod)\./,
    host: /\.(?:jimdofree|jimdosite|jimdoweb)\.com$/,
    examples: {
      good: ['<link rel="stylesheet" href="https://assets.jimstatic.com/web_oldtemplate.css">'],
      bad: ['<p>Jimdo', '<a href="https://lake.jimdofree.com/">Lake</a>'],
    },
  },
  {
    name: 'Duda',
    loads: /\/\/(?:static|irp)\.cdn-website\.com\/|\/\/(?:static-cdn|dd-cdn)\.multiscreensite\.com\//,
    examples: {
      good: ['<script src="https://static.cdn-website.com/runtime/main.js"></script>'],
      bad: ['<p>Duda', '<img src="https://lirp.cdn-website.com/1/lake.jpg">'],
    },
  },
  {
    name: 'Tilda',
    headers: { 'x-tilda-server': /./ },
    loads: /\/\/static\.tildacdn\.(?:com|info|net|pub|biz|one)\/|\/\/tilda\.ws\/project/,
    host: /\.tilda\.ws$/,
    examples: {
      good: [
        { headers: { 'x-tilda-server': '22' } },
        '<script src="https://static.tildacdn.com/js/tilda-scripts-3.0.min.js"></script>',
      ],
      bad: ['<p>Tilda', '<img src="https://static.tildacdn.com/tild1/lake.jpg">'],
    },
  },
  {
    name: 'Webnode',
    generator: /^Webnode\b/,
    loads: /\/\/duyn491kcolsw\.cloudfront\.net\//,
    host: /\.webnode\.(?:com|page|it|cz|fr|es)$/,
    examples: {
      good: ['<meta name="generator" content="Webnode 2">'],
      bad: ['<p>Webnode 2'],
    },
  },
  {
    name: 'Framer',
    generator: /^Framer\b/,
    headers: { server: /^Framer\b/ },
    host: /\.framer\.(?:website|app|ai|media)$/,
    examples: {
      good: ['<meta name="generator" content="Framer 4a6b3c1">', { headers: { server: 'Framer/5ea12d' } }],
      bad: ['<p>Framer', '<meta name="generator" content="Framework 4">'],
    },
  },
  {
    name: 'Blogger',
    generator: /^blogger$/i,
    loads: /\/\/www\.blogger\.com\/static\//,
    host: /\.blogspot\.[a-z.]+$/,
    examples: {
      good: [
        "<meta content='blogger' name='generator'/>",
        '<link rel="stylesheet" href="https://www.blogger.com/static/v1/widgets/1-css_bundle_v2.css">',
      ],
      bad: ['<p>blogger', '<a href="https://lake.blogspot.com/">Lake</a>'],
    },
  },
  {
    name: 'Tumblr',
    headers: { 'x-tumblr-user': /./ },
    loads: /\/\/assets\.tumblr\.com\/(?:assets|client|fonts|pop)\//,
    host: /\.tumblr\.com$/,
    examples: {
      good: [
        { headers: { 'x-tumblr-user': 'lake' } },
        '<script src="https://assets.tumblr.com/assets/scripts/a.js"></script>',
      ],
      bad: ['<p>Tumblr', '<script src="https://assets.tumblr.com/share-button.js"></script>'],
    },
  },
]
