// What the page says, in both languages: English, Spanish.

const LANGUAGES = ["en", "es"];

const WORDS = {
  title: ["Check your dice", "Compruebe sus dados"],
  lead: [
    "Give this page the letters of your game. It holds the server's signed log, the closed orders and every die against each other, here on your machine. It asks nobody: it cannot reach the network.",
    "Dé a esta página las cartas de su partida. Compara entre sí el registro firmado del servidor, las órdenes cerradas y todos los dados, aquí en su equipo. No pregunta a nadie: no puede salir a la red.",
  ],
  letters: ["Your letters", "Sus cartas"],
  drop: ["Drop files here: .eml, .mbox, or saved pbemdice.txt", "Suelte aquí ficheros: .eml, .mbox o pbemdice.txt guardados"],
  choose: ["Choose files", "Elegir ficheros"],
  folder: ["Choose a folder", "Elegir una carpeta"],
  paste: ["Or paste here the source of a letter, or the text of pbemdice.txt", "O pegue aquí el código fuente de una carta, o el texto de pbemdice.txt"],
  add: ["Add what I pasted", "Añadir lo pegado"],
  clear: ["Start afresh", "Empezar de nuevo"],
  more: ["Keys that you know from elsewhere", "Claves que conoce por otra vía"],
  pin: ["The log's key, from your welcome letter or a friend's", "La clave del registro, de su carta de bienvenida o de la de un amigo"],
  witnesses: ["Witnesses that you believe, one key a line", "Testigos en quienes confía, una clave por línea"],
  again: ["Check again", "Comprobar de nuevo"],
  results: ["What was found", "Lo que se encontró"],
  loaded: ["Letters with proofs: {0}, from files: {1}; files without any: {2}.", "Cartas con pruebas: {0}, en ficheros: {1}; ficheros sin ninguna: {2}."],
  working: ["Checking…", "Comprobando…"],
  all_ok: ["All is true.", "Todo es cierto."],
  all_false: ["Something is false.", "Algo es falso."],
  all_open: ["Nothing is false, but not everything could be checked.", "Nada es falso, pero no todo se pudo comprobar."],
  ok: ["ok", "bien"],
  false: ["FALSE", "FALSO"],
  open: ["NOT CHECKED", "SIN COMPROBAR"],
  held: ["{0} true", "{0} ciertos"],
  none_held: ["nothing to check", "nada que comprobar"],
  grades: ["How good the dice are", "Qué calidad tienen los dados"],
  grade_A: [
    "Grade A: the orders were closed, as a witness proves, before the public beacon that the dice come from. Nobody could know or choose them.",
    "Grado A: las órdenes se cerraron, como prueba un testigo, antes del faro público del que salen los dados. Nadie pudo conocerlos ni elegirlos.",
  ],
  grade_A_open: [
    "Grade A is claimed: a witness is said to have seen the closed orders before the public beacon came out. Whether that is so, the line above says.",
    "Se afirma el grado A: un testigo habría visto las órdenes cerradas antes de que saliera el faro público. Si es así, lo dice la línea de arriba.",
  ],
  grade_B: [
    "Grade B: the orders were closed, by the stamp of your own mail server, before the public beacon that the dice come from. Nobody could know or choose them.",
    "Grado B: las órdenes se cerraron, según el sello de su propio servidor de correo, antes del faro público del que salen los dados. Nadie pudo conocerlos ni elegirlos.",
  ],
  grade_C: [
    "Grade C: nobody can choose the dice, but the server could compute them before the orders were closed.",
    "Grado C: nadie puede elegir los dados, pero el servidor podía calcularlos antes de que se cerraran las órdenes.",
  ],
  dice: ["Every die", "Todos los dados"],
  number: ["No.", "N.º"],
  label: ["What for", "Para qué"],
  rolled: ["Dice", "Dados"],
  values: ["Rolled", "Salió"],
  verdict: ["Right?", "¿Es así?"],
  hand: ["One die by hand", "Un dado a mano"],
  hand_lead: [
    "In a terminal, this prints the bytes that the first die comes from: those below the largest multiple of the sides count, each gives one more than its remainder.",
    "En una terminal, esto muestra los bytes de los que sale el primer dado: cuentan los menores que el mayor múltiplo de las caras, y cada uno da su resto más uno.",
  ],
  not_here: ["What this page does not check", "Lo que esta página no comprueba"],
  not_here_text: [
    "The beacon's own signature (pbem verify does, or compare with any relay), and whether the rules were applied rightly to the dice (pbem verify --full).",
    "La firma del propio faro (lo hace pbem verify, o compare con cualquier repetidor) y si las reglas se aplicaron bien a los dados (pbem verify --full).",
  ],
  fault: ["The page has a fault: {0}", "La página tiene un fallo: {0}"],
  no_crypto: ["This browser gives the page no WebCrypto: use a newer one.", "Este navegador no da WebCrypto a la página: use uno más nuevo."],
};

const WHAT = {
  form: ["Form", "every pbemdice.txt is written as it must be", "Forma", "cada pbemdice.txt está escrito como debe"],
  keys: ["Keys", "they are those of the log's first leaf, and yours", "Claves", "son las de la primera hoja del registro, y las suyas"],
  signature: ["Signature", "the log has signed every letter's checkpoint", "Firma", "el registro ha firmado el sello de cada carta"],
  inclusion: ["Inclusion", "every leaf is in the log", "Inclusión", "todas las hojas están en el registro"],
  chain: ["Chain", "each game's leaves follow one another, none changed or left out", "Cadena", "las hojas de cada partida se siguen, sin cambios ni faltas"],
  consistency: ["Consistency", "every later log begins with the earlier ones", "Coherencia", "cada registro empieza por los anteriores"],
  recovery: ["Restores", "what was signed before one is so after it", "Restauraciones", "lo firmado antes de una sigue igual después"],
  close: ["Closing", "each attempt and segment was closed once, on the list that was hashed", "Cierre", "cada intento y segmento se cerró una vez, con la lista de la que hay huella"],
  orders: ["Orders", "the closed lists have the last orders of every seat", "Órdenes", "las listas cerradas llevan las últimas órdenes de cada bando"],
  own: ["Your orders", "what is opened is what was logged and closed", "Sus órdenes", "lo que se abre es lo que se registró y cerró"],
  round: ["Round", "the beacon's round was fixed before", "Ronda", "la ronda del faro se fijó de antemano"],
  beacon: ["Beacon", "the beacon's value is the beacon's", "Faro", "el valor del faro es del faro"],
  vrf: ["Secret", "the secret of every roll is proven, and there is only one", "Secreto", "el secreto de cada tirada está probado, y solo hay uno"],
  dice: ["Dice", "every die follows from it", "Dados", "cada dado se sigue de él"],
  manifest: ["List of rolls", "every roll is listed and numbered", "Lista de tiradas", "cada tirada figura, y con su número"],
  opened: ["Opened", "what was opened later is what was sealed", "Revelado", "lo que se reveló después es lo que se selló"],
  timing: ["Grade", "it is deserved", "Grado", "es el merecido"],
};

let language = 0;

/** A sentence of the page or a reason, in the language of the reader. */
function said(words, ...rest) {
  return words[language].replace(/\{(\d)\}/g, (_, at) => {
    const value = rest[Number(at)];
    return value instanceof Bad ? said(REASONS[value.word], ...value.rest) : String(value);
  });
}
