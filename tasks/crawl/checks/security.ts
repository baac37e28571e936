import { hasSecret } from '../secrets.ts'
import type { PageCheck } from './check.ts'

/** Taken apart in the examples, so that no scanner of source code takes them for real. */
const joined = (...parts: string[]) => parts.join('')

const isSecure = (url: URL) => url.protocol === 'https:'

/** Security as pages show it. */
export const securityChecks: PageCheck[] = [
  {
    code: 'https_missing',
    severity: 'major',
    about: 'The page is served without encryption.',
    fix: 'Serve the page over https and redirect http to it with 301.',
    finds: ({ visit: { url } }) => !isSecure(url),
    examples: {
      bad: [{ url: 'http://example.test/', html: '<p>text' }],
      good: [
        '<p>text',
        {
          url: 'http://example.test/',
          status: 301,
          headers: { location: 'https://example.test/' },
          html: null,
        },
      ],
    },
  },
  {
    code: 'mixed_content_active',
    severity: 'major',
    about: 'An https page loads scripts, style sheets or frames over http: browsers refuse them.',
    fix: 'Load scripts, styles and frames over https.',
    finds: ({ facts, visit: { url } }) => isSecure(url) && facts.insecure.active > 0,
    examples: {
      bad: [
        '<script src="http://a.test/a.js"></script>',
        '<link rel="stylesheet" href="HTTP://a.test/a.css">',
        '<iframe src="http://a.test/"></iframe>',
        '<object data="http://a.test/"></object>',
      ],
      good: [
        '<script src="//a.test/a.js"></script>',
        '<a href="http://a.test/">a</a>',
        { url: 'http://example.test/', html: '<script src="http://a.test/a.js"></script>' },
      ],
    },
  },
  {
    code: 'mixed_content_passive',
    severity: 'moderate',
    about: 'An https page loads images, sound or video over http.',
    fix: 'Load images, sound and video over https.',
    finds: ({ facts, visit: { url } }) => isSecure(url) && facts.insecure.passive > 0,
    examples: {
      bad: [
        '<img src="http://a.test/a.png" alt="">',
        '<img src=a srcset="/a 1x, http://a.test/b 2x" alt="">',
      ],
      good: ['<img src="https://a.test/a.png" alt="">', '<img src="/http://a" alt="">'],
    },
  },
  {
    code: 'form_on_http',
    severity: 'moderate',
    about: 'The page has a form and is served without encryption.',
    fix: 'Serve the page over https.',
    finds: ({ facts, visit: { url } }) => !isSecure(url) && facts.forms.count > 0,
    examples: {
      bad: [{ url: 'http://example.test/', html: '<form></form>' }],
      good: ['<form></form>', { url: 'http://example.test/', html: '<p>text' }],
    },
  },
  {
    code: 'form_insecure_action',
    severity: 'moderate',
    about: 'A form sends what readers enter to an http address.',
    fix: 'Change the action of the form to https.',
    finds: ({ facts }) => facts.forms.insecure > 0,
    examples: {
      bad: ['<form action="http://example.test/send"></form>'],
      good: ['<form action="/send"></form>', '<form action="https://example.test/send"></form>'],
    },
  },
  {
    code: 'secrets_exposed',
    severity: 'major',
    about: 'The HTML shows what looks like a secret key, to anybody who reads the source.',
    fix: 'Revoke the key at once, make a new one, and keep it on the server.',
    finds: ({ visit: { html } }) => html !== null && hasSecret(html),
    examples: {
      bad: [
        `<script>key = "${joined('AKIA', 'IOSFODNN7EXAMPLE')}"</script>`,
        `<!-- ${joined('sk_live', '_4eC39HqLyjWDarjtT1zdp7dc')} -->`,
        `<div data-token="${joined('ghp', '_a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8')}"></div>`,
        `<pre>${joined('-----BEGIN RSA', ' PRIVATE KEY-----')}\nMIIEpAIBAAKCAQEA75Lq\n</pre>`,
        `<a href="https://hooks.slack.com/${joined('services/T0001', '/B0002/XyZ1a4k9QwErTy7uI0pLmN2b')}">x</a>`,
        `<script>a="${joined('sk-ant', `-api03-${'aB3dE6gH9kL2mN5pQ8'.repeat(5)}`)}"</script>`,
      ],
      good: [
        `<script>a="${joined('pk_live', '_4eC39HqLyjWDarjtT1zdp7dc')}";b="${joined('AIza', 'SyA1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e')}"</script>`,
        '<p>Keys begin with AKIA or sk_live_ or ghp_ and are secret.</p>',
        '<p>-----BEGIN PUBLIC KEY----- and what a PRIVATE KEY is</p>',
        `<script>a="${joined('sk_live', '_xxxxxxxxxxxxxxxxxxxxxxxx')}"</script>`,
      ],
    },
  },
]
