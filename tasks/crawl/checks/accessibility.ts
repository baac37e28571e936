import type { PageCheck } from './check.ts'

/** What readers who cannot see the page need, beside alternative texts. */
export const accessibilityChecks: PageCheck[] = [
  {
    code: 'form_label_missing',
    severity: 'minor',
    about: 'A form control has no label: screen readers cannot say what to enter.',
    fix: 'Put the control into a `<label>`, point one at its id with `for`, or give it an aria-label.',
    finds: ({ facts }) => facts.controls.unlabelled > 0,
    examples: {
      bad: [
        '<input name=q placeholder=Search>',
        '<input id=a><label for=b>B</label>',
        '<select><option>a</select>',
        '<textarea></textarea>',
        '<label>Name</label><input type=text>',
      ],
      good: [
        '<label for=q>Search</label><input id=q>',
        '<input id=q><label for=q>Search</label>',
        '<label>Name <input></label>',
        '<input aria-label=Name>',
        '<input title=Name>',
        '<h2 id=h>Name</h2><input aria-labelledby=h>',
        '<input type=hidden><input type=submit><input type=RESET><input type=button value=Go>',
        '<template><input></template>',
      ],
    },
  },
  {
    code: 'button_unnamed',
    severity: 'minor',
    about: 'A button has no text or label: screen readers cannot say what it does.',
    fix: 'Give the button a text, its image an alternative text, or the button an aria-label.',
    finds: ({ facts }) => facts.controls.unnamedButtons > 0,
    examples: {
      bad: [
        '<button></button>',
        '<button><i class=icon></i></button><button>Go</button>',
        '<button><img src=a alt=""></button>',
        '<input type=button>',
        '<input type=image src=a>',
      ],
      good: [
        '<button>Go</button>',
        '<button aria-label=Close></button>',
        '<button title=Close><i></i></button>',
        '<button><img src=a alt=Close></button>',
        '<button><svg><title>Close</title></svg></button>',
        '<button><span aria-label=Close></span></button>',
        '<button aria-hidden=true></button>',
        '<input type=button value=Go><input type=image src=a alt=Go><input type=submit>',
      ],
    },
  },
  {
    code: 'main_landmark_missing',
    severity: 'minor',
    about: 'The page does not mark its main part: nobody can skip straight to it.',
    fix: 'Put the main part of the page into one `<main>` element.',
    finds: ({ facts }) => !facts.hasMain && facts.frames === 0,
    examples: {
      bad: ['<div id=main>text</div>', '<article>text</article>'],
      good: ['<main>text</main>', '<div role=main>text</div>', '<frameset><frame src=a></frameset>'],
    },
  },
]
