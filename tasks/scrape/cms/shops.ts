import type { System } from './system.ts'

/** Systems for shops, hosted or installed. */
export const shops: readonly System[] = [
  {
    name: 'Shopify',
    headers: {
      'x-shopid': /./,
      'x-shopify-stage': /./,
      'x-sorting-hat-shopid': /./,
      'powered-by': /^Shopify$/,
    },
    cookie: /^_shopify_(?:y|s|essential|analytics|marketing)$/,
    loads: /\/\/cdn\.shopify\.com\/(?:s\/files|shopifycloud)\/|\/cdn\/(?:shop\/t|shopifycloud)\//,
    markup:
      /<meta [^>]*name="shopify-(?:checkout-api-token|digital-wallet)"|^\s*(?:var|window\.) ?Shopify = /m,
    host: /\.myshopify\.com$/,
    examples: {
      good: [
        { headers: { 'x-shopid': '12345' } },
        { headers: { 'powered-by': 'Shopify' } },
        '<link rel="stylesheet" href="//example.test/cdn/shop/t/4/assets/theme.css?v=1">',
        '<meta name="shopify-digital-wallet" content="/12345/digital_wallets/dialog">',
        '<script>\n  var Shopify = Shopify || {};\n</script>',
        { url: 'https://lake.myshopify.com/' },
      ],
      bad: [
        '<p>Open a Shopify shop</p><a href="https://lake.myshopify.com/">Our shop</a>',
        '<img src="https://cdn.shopify.com/s/files/1/lake.jpg">',
        '<script src="https://sdks.shopifycdn.com/buy-button/latest/buy-button-storefront.min.js"></script>',
      ],
    },
  },
  {
    name: 'Magento',
    headers: {
      'x-magento-vary': /./,
      'x-magento-tags': /./,
      'x-magento-cache-debug': /./,
      'x-magento-cache-control': /./,
    },
    cookie: /^(?:X-Magento-Vary|mage-(?:cache-sessid|cache-storage|messages|translation-storage))$/,
    loads: /\/static\/(?:version\d+\/)?frontend\/[^/\s]+\/|\/skin\/frontend\/|\/js\/mage\//,
    markup: /<script [^>]*type="text\/x-magento-init"/,
    examples: {
      good: [
        { headers: { 'x-magento-cache-debug': 'MISS' } },
        '<link rel="stylesheet" href="/static/version1720000000/frontend/Magento/luma/en_US/css/styles-m.css">',
        '<script type="text/x-magento-init">{"*": {}}</script>',
        '<script src="/skin/frontend/base/default/js/opcheckout.js"></script>',
      ],
      bad: ['<p>We migrate Magento shops', '<script src="/static/frontend.js"></script>'],
    },
  },
  {
    name: 'PrestaShop',
    generator: /^PrestaShop$/,
    headers: { 'powered-by': /^PrestaShop/i },
    cookie: /^PrestaShop-[0-9a-f]+$/,
    loads: /\/modules\/ps_[a-z]+\/|\/themes\/[^/\s]+\/assets\/cache\/(?:theme|bottom)-/,
    markup: /^\s*var prestashop = \{/m,
    examples: {
      good: [
        '<meta name="generator" content="PrestaShop">',
        { setCookies: ['PrestaShop-d41d8cd98f00b204=x; path=/'] },
        '<script src="/modules/ps_shoppingcart/ps_shoppingcart.js"></script>',
        '<script>\n  var prestashop = {"cart":{}};\n</script>',
      ],
      bad: ['<p>PrestaShop modules', '<script src="/modules/ps/a.js"></script>'],
    },
  },
  {
    name: 'OpenCart',
    cookie: /^OCSESSID$/,
    loads: /\/catalog\/view\/(?:theme|javascript)\//,
    examples: {
      good: [
        { setCookies: ['OCSESSID=x; path=/'] },
        '<script src="catalog/view/javascript/common.js"></script>',
      ],
      bad: ['<p>OpenCart', '<a href="/catalog/view/theme/">Themes</a>'],
    },
  },
  {
    name: 'BigCommerce',
    cookie: /^(?:SHOP_SESSION_TOKEN|fornax_anonymousId)$/,
    loads: /\/\/cdn\d*\.bigcommerce\.com\/(?:s-|r-)/,
    host: /\.mybigcommerce\.com$/,
    examples: {
      good: [
        '<link rel="stylesheet" href="https://cdn11.bigcommerce.com/s-abc/stencil/1/css/theme.css">',
        { setCookies: ['fornax_anonymousId=x; path=/'] },
      ],
      bad: ['<p>BigCommerce', '<img src="https://cdn11.bigcommerce.com/s-abc/images/lake.jpg">'],
    },
  },
  {
    name: 'Shopware',
    generator: /^Shopware\b/,
    headers: {
      'sw-context-token': /./,
      'sw-version-id': /./,
      'sw-language-id': /./,
      'x-shopware-cache-id': /./,
    },
    cookie: /^(?:sw-cache-hash|sw-states)$/,
    loads:
      /\/bundles\/storefront\/|\/theme\/[0-9a-f]{32}\/(?:css|js)\/|\/web\/cache\/\d{10}_[0-9a-f]{32}\.(?:css|js)/,
    examples: {
      good: [
        { headers: { 'sw-context-token': 'x' } },
        '<script src="/theme/0123456789abcdef0123456789abcdef/js/storefront/storefront.js"></script>',
        '<link rel="stylesheet" href="/web/cache/1720000000_0123456789abcdef0123456789abcdef.css">',
      ],
      bad: ['<p>Shopware 6', '<script src="/theme/js/storefront.js"></script>'],
    },
  },
  {
    name: 'Salesforce Commerce Cloud',
    cookie: /^(?:dwsid|dwanonymous_[0-9a-f]+)$/,
    loads: /\/on\/demandware\.(?:static|store)\//,
    host: /\.demandware\.net$/,
    examples: {
      good: [
        { setCookies: ['dwsid=x; path=/'] },
        '<link rel="stylesheet" href="/on/demandware.static/Sites-X-Site/-/en/v1/css/global.css">',
      ],
      bad: ['<p>Commerce Cloud, once Demandware'],
    },
  },
  {
    name: 'nopCommerce',
    generator: /^nopCommerce$/i,
    cookie: /^\.Nop\.(?:Customer|Antiforgery|Culture|Session)$/,
    examples: {
      good: ['<meta name="generator" content="nopCommerce">', { setCookies: ['.Nop.Customer=x; path=/'] }],
      bad: ['<p>nopCommerce'],
    },
  },
  {
    name: 'Odoo',
    generator: /^Odoo$/,
    loads: /\/web\/assets\/(?:[^/\s]+\/)*web\.assets_(?:frontend|common)/,
    host: /\.odoo\.com$/,
    examples: {
      good: [
        '<meta name="generator" content="Odoo">',
        '<script src="/web/assets/1/abc/web.assets_frontend_minimal.min.js"></script>',
      ],
      bad: ['<p>Odoo', '<script src="/web/assets/app.js"></script>'],
    },
  },
]
