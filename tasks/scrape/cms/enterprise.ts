import type { System } from './system.ts'

/** Systems of large organisations. */
export const enterprise: readonly System[] = [
  {
    name: 'Adobe Experience Manager',
    loads: /\/etc\.clientlibs\/|\/etc\/(?:designs|clientlibs)\//,
    examples: {
      good: ['<link rel="stylesheet" href="/etc.clientlibs/lake/clientlibs/clientlib-base.min.css">'],
      bad: ['<p>Adobe Experience Manager and its /etc.clientlibs/', '<img src="/etc/designs/lake.png">'],
    },
  },
  {
    name: 'HubSpot CMS',
    generator: /^HubSpot$/,
    headers: { 'x-hs-content-id': /./ },
    loads: /\/_hcms\/|\/hs-fs\/hub\/|\/hubfs\/hub_generated\//,
    host: /\.hs-sites(?:-\w+)?\.com$/,
    examples: {
      good: [
        '<meta name="generator" content="HubSpot">',
        { headers: { 'x-hs-content-id': '123' } },
        '<script src="/hs-fs/hub/1/hub_generated/template_assets/2/js/main.js"></script>',
      ],
      bad: ['<script src="//js.hs-scripts.com/1.js"></script>', '<p>HubSpot'],
    },
  },
  {
    name: 'Sitecore',
    cookie: /^(?:SC_ANALYTICS_GLOBAL_COOKIE|[\w.-]+#sc_mode|sxa_site)$/,
    loads: /\/[-~]\/media\/[^\s]+\.(?:ashx|css|js)/,
    examples: {
      good: [
        { setCookies: ['SC_ANALYTICS_GLOBAL_COOKIE=x|False; path=/'] },
        '<link rel="stylesheet" href="/-/media/themes/lake/styles/pre-optimized-min.css">',
      ],
      bad: ['<p>Sitecore', '<script src="/media/a.js"></script>'],
    },
  },
  {
    name: 'Umbraco',
    generator: /^umbraco/i,
    headers: { 'x-umbraco-version': /./ },
    cookie: /^UMB(?:_|-XSRF)/,
    loads: /\/App_Plugins\/|\/umbraco\/(?:lib|assets|surface)\//i,
    examples: {
      good: [
        '<meta name="generator" content="Umbraco">',
        '<script src="/App_Plugins/Forms/forms.js"></script>',
      ],
      bad: ['<p>Umbraco', '<script src="/plugins/app.js"></script>'],
    },
  },
  {
    name: 'Kentico',
    generator: /^(?:Xperience by )?Kentico\b/,
    cookie: /^(?:CMSPreferredCulture|CMSCsrfCookie|CMSCookieLevel)$/,
    loads: /\/CMSPages\/GetResource\.ashx/i,
    examples: {
      good: [
        { setCookies: ['CMSPreferredCulture=en-US; path=/'] },
        '<link rel="stylesheet" href="/CMSPages/GetResource.ashx?stylesheetname=Lake">',
      ],
      bad: ['<p>Kentico', { setCookies: ['Preferred=en'] }],
    },
  },
  {
    name: 'Optimizely CMS',
    generator: /^(?:EPiServer|Optimizely CMS)\b/i,
    cookie: /^(?:EPi:|EPiStateMarker|\.EPiForm_|EPiForm_)/,
    loads: /\/EPiServer(?:\.Forms)?\/|\/Util\/(?:javascript|styles)\/EPi/i,
    examples: {
      good: ['<meta name="generator" content="EPiServer">', { setCookies: ['EPiStateMarker=true; path=/'] }],
      bad: ['<p>EPiServer', '<script src="https://cdn.optimizely.com/js/1.js"></script>'],
    },
  },
  {
    name: 'Sitefinity',
    generator: /^Sitefinity\b/,
    cookie: /^sf-data-intell-subject$/,
    loads: /\/Sitefinity\/(?:WebsiteTemplates|Public|Services)\/|\/Frontend-Assembly\/Telerik\.Sitefinity/i,
    examples: {
      good: ['<meta name="Generator" content="Sitefinity 15.0.8200.0 DX">'],
      bad: ['<p>Sitefinity 15'],
    },
  },
  {
    name: 'DNN',
    generator: /^DotNetNuke\b/i,
    headers: { dnnoutputcache: /./ },
    cookie: /^(?:\.DOTNETNUKE|dnn_IsMobile|DotNetNukeAnonymous)$/,
    loads: /\/DesktopModules\/|\/Portals\/_default\//i,
    examples: {
      good: [
        { setCookies: ['dnn_IsMobile=False; path=/; HttpOnly'] },
        '<link rel="stylesheet" href="/Portals/_default/default.css?cdv=1">',
      ],
      bad: ['<p>DotNetNuke', '<a href="/Portals/_default/a.pdf">A</a>'],
    },
  },
  {
    name: 'SharePoint',
    generator: /^Microsoft SharePoint$/,
    headers: { microsoftsharepointteamservices: /./, sprequestguid: /./ },
    loads: /\/_layouts\/1\d\//i,
    examples: {
      good: [
        { headers: { microsoftsharepointteamservices: '16.0.0.1' } },
        '<script src="/_layouts/15/init.js?rev=x"></script>',
      ],
      bad: ['<p>Microsoft SharePoint', '<script src="/_layouts/a.js"></script>'],
    },
  },
  {
    name: 'Liferay',
    headers: { 'liferay-portal': /./ },
    cookie: /^LFR_SESSION_STATE_/,
    loads: /\/o\/frontend-js-[\w-]+\/|\/o\/frontend-(?:theme|css)-[\w-]+\//,
    examples: {
      good: [
        { headers: { 'liferay-portal': 'Liferay Digital Experience Platform' } },
        '<script src="/o/frontend-js-web/liferay/available_languages.jsp"></script>',
      ],
      bad: ['<p>Liferay', '<script src="/o/frontend.js"></script>'],
    },
  },
  {
    name: 'Plone',
    generator: /^Plone\b/,
    loads: /\/\+\+plone\+\+|\/portal_css\//,
    examples: {
      good: [
        '<meta name="generator" content="Plone - https://plone.org/">',
        '<link rel="stylesheet" href="/++plone++production/++unique++1/default.css">',
      ],
      bad: ['<p>Plone'],
    },
  },
  {
    name: '1C-Bitrix',
    headers: { 'x-powered-cms': /Bitrix/ },
    cookie: /^BITRIX_SM_/,
    loads: /\/bitrix\/(?:js|cache|templates|panel|components)\//,
    examples: {
      good: [
        { headers: { 'x-powered-cms': 'Bitrix Site Manager (abc)' } },
        '<script src="/bitrix/js/main/core/core.js?1"></script>',
      ],
      bad: ['<p>1C-Bitrix', '<a href="/bitrix/js/">Bitrix</a>'],
    },
  },
]
