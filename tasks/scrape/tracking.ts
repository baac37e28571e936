import entities from 'third-party-web/dist/entities-nostats.json' with { type: 'json' }

/** Categories whose hosts do nothing else. */
const categories = new Set(['ad', 'analytics', 'tag-manager'])

/** Trackers that third-party-web does not have, or files under another category. */
const moreTrackers = `
  albacross.com alb.reddit.com analytics.tiktok.com api.pirsch.io bam.nr-data.net bat.bing.com bounceexchange.com
  cdn.counter.dev cdn.splitbee.io clarity.ms cloud.umami.is ct.pinterest.com demandbase.com eloqua.com en25.com
  frog.wix.com gc.zgo.at goatcounter.com heapanalytics.com hs-analytics.net hs-scripts.com hsadspixel.net i.posthog.com
  js-agent.newrelic.com leadin.com mc.webvisor.org ml314.com monorail-edge.shopifysvc.com pardot.com pixel.facebook.com
  scripts.clarity.ms simpleanalytics.com simpleanalyticscdn.com snap.licdn.com ads.linkedin.com
  static.cloudflareinsights.com top-fwz1.mail.ru tr.snapchat.com track.hubspot.com va.vercel-scripts.com w55c.net`

/** Hosts of those categories' owners that serve content: portals, CDNs, players, shops, reviews, surveys. */
const contentHosts = `
  01net.com 10cms.com adis.ws affino.com amplience.com amplience.net answers.com aol.co.uk aol.com aol.net aolcdn.com
  apester.com app.link apple.com basis.net bazaarvoice.com bbb.org bestofmedia.com bigcontent.io bing.com
  blogsmithmedia.com cj.com ctctcdn.com de.com delvenetworks.com ebay.com ebayimg.com ekomi.com ekomi.de feefo.com
  five.tv flixcar.com flixfacts.com flixmedia.eu force.com getresponse.com guardian.co.uk hootsuite.com hostingprod.com
  hotukdeals.com ibmcloud.com imageg.net isitetv.com jsonip.com jwpcdn.com jwplatform.com jwplayer.com jwpsrv.com
  klaviyo.com licdn.com limelight.com line-scdn.net line.me linkedin.com llnwd.net longtailvideo.com lrcontent.com
  microsoft.com msecnd.net msn.com myunidays.com net.net net.pl o2.pl oath.com okta.com onet.pl ooyala.com
  opinionstage.com outbrainimg.com polldaddy.com poll.fm powerreviews.com purch.com qualtrics.com questionpro.com
  quora.com qzzr.com rakuten-static.com rbl.ms rebelmouse.com reevoo.com reviews.co.uk reviews.io rovicorp.com s-msft.com
  s-msn.com s81c.com salesforce.com sas.com sidereel.com s.yimg.jp snapchat.com sodahead.com spiceworks.com stamped.io
  surveygizmo.eu surveymonkey.com theguardian.com trustpilot.com ubembed.com unbounce.com userreport.com vouchedfor.co.uk
  wayfair.com wowcher.co.uk wp.pl yahoo.com yahoo.net yahooapis.com yimg.com zafu.com zenfs.com zmags.com zoover.nl`

/** Trackers on hosts that serve other things, most often the site's own. */
const paths = [
  /\/(?:matomo|piwik)\.(?:js|php)$/,
  /\/(?:fbevents|fbds|amplitude-analytics|appmeasurement|utag|umami|countly\.min|hotjar-\d+|trekkie\.storefront[\w.]*)\.js$/i,
  /^\/(?:gtag\/js|gtm\.js)$/,
  /^\/_vercel\/(?:insights|speed-insights)\//,
  /^\/cdn-cgi\/(?:rum|zaraz\/|beacon\/)/,
]
const hostsAndPaths = [
  /^(?:www\.)?facebook\.com\/tr\/?$/,
  /^connect\.facebook\.net\/signals\//,
  /^(?:www\.)?google\.\w+(?:\.\w+)?\/(?:ads|pagead|gen_204)(?:\/|$)/,
  /^www\.redditstatic\.com\/ads\//,
  /^s\.pinimg\.com\/ct\//,
  /^t\.co\/i\/adsct$/,
  /^(?:www\.)?linkedin\.com\/px/,
]

const listed = (hosts: string) => hosts.trim().split(/\s+/)
const content = new Set(listed(contentHosts))
const trackers = new Set([
  ...entities
    .filter(({ category }) => categories.has(category))
    .flatMap(({ domains }) => domains.map((domain) => domain.replace(/^\*\./, '').toLowerCase()))
    .filter((domain) => !content.has(domain)),
  ...listed(moreTrackers),
])

/**
 * Whether what a page loads from `url` watches its visitors. Who mirrors the site of such a service gets its files:
 * a host of the start page's own service is none.
 */
export function isTracker(url: URL, start: URL): boolean {
  if (paths.some((path) => path.test(url.pathname))) return true
  if (hostsAndPaths.some((path) => path.test(url.host + url.pathname))) return true
  const service = trackerOf(url.hostname)
  return service !== undefined && service !== trackerOf(start.hostname)
}

/** The most particular of the listed domains that a host belongs to, if it is a tracker's. */
function trackerOf(host: string): string | undefined {
  for (let domain = host; domain.includes('.'); domain = domain.slice(domain.indexOf('.') + 1)) {
    if (trackers.has(domain)) return domain
    if (content.has(domain)) return undefined
  }
  return undefined
}
