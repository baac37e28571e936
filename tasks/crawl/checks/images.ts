import type { PageCheck } from './check.ts'

export const imageChecks: PageCheck[] = [
  {
    code: 'images_no_alt',
    severity: 'moderate',
    about: 'An image has no alternative text; an empty one is right for decoration.',
    fix: 'Describe each image in its alt attribute; give decoration an empty one: `alt=""`.',
    finds: ({ facts }) => facts.images.noAlt > 0,
    examples: {
      bad: ['<img src=a>', '<IMG SRC=a><img src=b alt=x>', '<image src=a>'],
      good: [
        '<img src=a alt="">',
        '<img src=a alt>',
        '<img src=a alt="A shoe">',
        '<noscript><img src=a></noscript>',
        '<svg><image href=a /></svg>',
        { status: 404, html: null },
      ],
    },
  },
  {
    code: 'images_alt_too_long',
    severity: 'minor',
    about: 'The alternative text of an image has more than 100 characters.',
    fix: 'Shorten the alternative text to 100 characters and tell the rest in the text beside it.',
    finds: ({ facts }) => facts.images.longAlt > 0,
    examples: {
      bad: [`<img src=a alt="${'x'.repeat(101)}">`],
      good: [`<img src=a alt="${'👟'.repeat(100)}">`],
    },
  },
  {
    code: 'images_alt_generic',
    severity: 'minor',
    about: 'The alternative text of an image is a placeholder or a file name.',
    fix: 'Say in the alt attribute what the image shows.',
    finds: ({ facts }) => facts.images.genericAlt > 0,
    examples: {
      bad: ['<img src=a alt="Image">', '<img src=a alt="IMG_2041.jpg">', '<img src=a alt=logo>'],
      good: ['<img src=a alt="Logo of the town">', '<img src=a alt="">'],
    },
  },
  {
    code: 'images_no_dimensions',
    severity: 'minor',
    about: 'An image has no width and height: the page jumps while it loads.',
    fix: 'Set width and height attributes on the image, or an aspect-ratio in CSS.',
    finds: ({ facts }) => facts.images.noSize > 0,
    examples: {
      bad: ['<img src=a alt="" width=10>'],
      good: ['<img src=a alt="" width=10 height=10>', '<img src=a alt="" style="aspect-ratio: 1">'],
    },
  },
  {
    code: 'picture_no_img',
    severity: 'moderate',
    about: 'A picture element has no img: browsers show nothing.',
    fix: 'End every picture element with an `<img>`.',
    finds: ({ facts }) => facts.picturesWithoutImage > 0,
    examples: {
      bad: ['<picture><source srcset=a></picture>'],
      good: ['<picture><source srcset=a><img src=b alt=""></picture>', '<img src=b alt="">'],
    },
  },

  {
    code: 'image_lazy_above_fold',
    severity: 'minor',
    about: 'The first picture of the page is loaded lazily: readers wait for what they see first.',
    fix: 'Remove `loading="lazy"` from the first picture; give it `fetchpriority="high"` if it is the largest.',
    finds: ({ facts }) => facts.images.lazyFirst,
    examples: {
      bad: [
        '<h1>Shoes</h1><img src=a alt="" loading=lazy>',
        '<img src=logo alt="" width=40><img src=a alt="" loading=LAZY>',
        '<img src=a alt=""><img src=b alt="" loading=lazy fetchpriority=high>',
      ],
      good: [
        '<img src=a alt=""><img src=b alt="" loading=lazy>',
        '<img src=icon alt="" width=24 height=24 loading=lazy>',
        `<p>${'word '.repeat(300)}</p><img src=a alt="" loading=lazy>`,
        '<footer><img src=a alt="" loading=lazy></footer>',
      ],
    },
  },
]
