import type { System } from './system.ts'

/** Systems for sites and blogs that one installs. */
export const publishing: readonly System[] = [
  {
    name: 'WordPress',
    generator: /^(?:WordPress|WooCommerce|Elementor)\b/,
    headers: {
      link: /rel="?https:\/\/api\.w\.org\//,
      'x-pingback': /\/xmlrpc\.php/,
      'x-redirect-by': /^WordPress/,
    },
    cookie: /^(?:wordpress_|wp-settings-)/,
    loads: /\/wp-(?:content\/(?:themes|plugins|mu-plugins|uploads|cache)|includes)\//,
    markup: /<link [^>]*rel="https:\/\/api\.w\.org\/"/,
    host: /\.(?:wordpress|wpcomstaging)\.com$/,
    examples: {
      good: [
        '<meta name="generator" content="WordPress 6.8.1">',
        '<meta name="generator" content="Powered by Slider Revolution"><meta name=generator content="WooCommerce 9.1">',
        { headers: { link: '<https://example.test/wp-json/>; rel="https://api.w.org/"' } },
        '<link rel="stylesheet" href="wp-content/themes/lake/style.css?ver=6.8">',
        '<script src="//cdn.example.test/wp-includes/js/jquery/jquery.min.js"></script>',
        '<link rel="https://api.w.org/" href="https://example.test/wp-json/">',
      ],
      bad: [
        '<h1>Moving from WordPress</h1><p>Delete /wp-content/themes/ and &lt;meta name="generator" content="WordPress"&gt;',
        '<img src="https://other.test/wp-content/uploads/lake.jpg"><a href="https://wordpress.org/">WordPress</a>',
        '<meta name="description" content="WordPress 6.8 is out">',
      ],
    },
  },
  {
    name: 'Joomla',
    generator: /^Joomla!/,
    headers: { 'x-content-encoded-by': /Joomla/ },
    loads:
      /\/media\/(?:jui|vendor\/joomla[\w-]*|system\/js\/(?:core|mootools|joomla))|\/media\/com_content\//,
    markup: /<script [^>]*class="joomla-script-options/,
    examples: {
      good: [
        '<meta name="generator" content="Joomla! - Open Source Content Management">',
        '<script src="/media/jui/js/jquery.min.js"></script>',
        '<script type="application/json" class="joomla-script-options new">{}</script>',
      ],
      bad: ['<p>Joomla! - Open Source Content Management', '<script src="/media/js/core.js"></script>'],
    },
  },
  {
    name: 'Drupal',
    generator: /^Drupal\b/,
    headers: {
      'x-generator': /^Drupal/,
      'x-drupal-cache': /./,
      'x-drupal-dynamic-cache': /./,
      // Its first author's birthday.
      expires: /^Sun, 19 Nov 1978 05:00:00 GMT/,
    },
    loads: /\/sites\/(?:default|all)\/(?:files|themes|modules)\/|\/core\/misc\/drupal|\/misc\/drupal\.js/,
    markup: /<script [^>]*data-drupal-selector="|jQuery\.extend\(Drupal\.settings,/,
    examples: {
      good: [
        '<meta name="Generator" content="Drupal 11 (https://www.drupal.org)">',
        { headers: { 'x-generator': 'Drupal 10 (https://www.drupal.org)' } },
        { headers: { 'x-drupal-cache': 'HIT' } },
        { headers: { expires: 'Sun, 19 Nov 1978 05:00:00 GMT' } },
        '<link rel="stylesheet" href="/sites/default/files/css/css_x.css">',
        '<script type="application/json" data-drupal-selector="drupal-settings-json">{}</script>',
      ],
      bad: ['<p>Drupal 11 is here', '<a href="/sites/default/files/price.pdf">Prices</a>'],
    },
  },
  {
    name: 'TYPO3',
    generator: /^TYPO3\b/,
    headers: { 'x-typo3-parsetime': /./ },
    cookie: /^fe_typo_user$/,
    loads: /\/typo3(?:temp|conf)\/|\/_assets\/[0-9a-f]{32}\//,
    markup: /<!--[^>]*(?:powered by TYPO3|TYPO3 is a free open source)/,
    examples: {
      good: [
        '<meta name="generator" content="TYPO3 CMS">',
        '<!-- This website is powered by TYPO3 - inspiring people to share! -->',
        '<link rel="stylesheet" href="/typo3temp/assets/compressed/merged-1.css">',
        { setCookies: ['fe_typo_user=abc; path=/'] },
      ],
      bad: ['<p>This website is powered by TYPO3', '<script src="/_assets/app.js"></script>'],
    },
  },
  {
    name: 'Ghost',
    generator: /^Ghost \d/,
    headers: { 'x-ghost-cache-status': /./ },
    cookie: /^ghost-members-ssr/,
    loads: /\/ghost\/(?:portal|sodo-search|comments-ui)@|\/public\/cards\.min\.(?:css|js)/,
    markup: /<script [^>]*data-ghost="/,
    examples: {
      good: [
        '<meta name="generator" content="Ghost 5.82">',
        '<script defer src="https://cdn.jsdelivr.net/ghost/portal@~2.37/umd/portal.min.js"></script>',
      ],
      bad: ['<meta name="generator" content="Ghostwriter 2">', '<script src="/ghost/story.js"></script>'],
    },
  },
  {
    name: 'Craft CMS',
    headers: { 'x-powered-by': /\bCraft CMS\b/ },
    cookie: /^(?:CraftSessionId|CRAFT_CSRF_TOKEN)$/,
    loads: /\/cpresources\/[0-9a-f]+\//,
    examples: {
      good: [
        { headers: { 'x-powered-by': 'Craft CMS' } },
        { setCookies: ['CraftSessionId=x; path=/; HttpOnly'] },
      ],
      bad: ['<p>Made with Craft CMS', { setCookies: ['Craft=1'] }],
    },
  },
  {
    name: 'Contao',
    generator: /^Contao\b/,
    headers: { 'contao-cache': /./ },
    cookie: /^contao_/,
    loads: /\/assets\/contao\//,
    examples: {
      good: [
        '<meta name="generator" content="Contao Open Source CMS">',
        '<link rel="stylesheet" href="/assets/contao/css/layout.min.css">',
      ],
      bad: ['<p>Contao Open Source CMS'],
    },
  },
  {
    name: 'Concrete CMS',
    generator: /^concrete(?:5| ?cms)/i,
    cookie: /^CONCRETE5?(?:_LOGIN)?$/,
    loads: /\/concrete\/(?:js|css|themes)\//,
    examples: {
      good: [
        '<meta name="generator" content="Concrete CMS">',
        '<meta name="generator" content="concrete5 - 8.5.4">',
        { setCookies: ['CONCRETE5=x; path=/'] },
      ],
      bad: ['<p>Concrete CMS', '<link rel="stylesheet" href="/concrete-works/css/a.css">'],
    },
  },
  {
    name: 'MODX',
    generator: /^MODX\b/i,
    headers: { 'x-powered-by': /\bMODX\b/i },
    examples: {
      good: [
        { headers: { 'x-powered-by': 'MODX Revolution' } },
        '<meta name="generator" content="MODX Revolution">',
      ],
      bad: ['<p>MODX Revolution'],
    },
  },
  {
    name: 'Silverstripe',
    generator: /^Silverstripe\b/i,
    examples: {
      good: ['<meta name="generator" content="Silverstripe CMS - http://silverstripe.org">'],
      bad: ['<p>Silverstripe CMS'],
    },
  },
  {
    name: 'SPIP',
    generator: /^SPIP\b/,
    headers: { 'composed-by': /\bSPIP\b/ },
    loads: /\/local\/cache-(?:css|js)\//,
    examples: {
      good: [
        '<meta name="generator" content="SPIP 4.3.2">',
        { headers: { 'composed-by': 'SPIP 4.2 @ www.spip.net' } },
      ],
      bad: ['<p>SPIP 4.3.2'],
    },
  },
  {
    name: 'Grav',
    generator: /^GravCMS$/,
    examples: { good: ['<meta name="generator" content="GravCMS">'], bad: ['<p>GravCMS', '<b id="grav">'] },
  },
]
